import type { Api, Operation } from '@farebox/codegen'
import type { Change } from './change.js'
import { compareOperation } from './compare-operation.js'
import { compareSchema } from './compare-schema.js'
import { createChangeList, type ChangeList } from './change-list.js'
import { refsIn } from './refs-in.js'
import { sidesOf } from './side.js'
import { signatureOf } from './signature.js'

/** Reports changes by operation, then those of exported schema names, then the rest. */
export function compareApi(base: Api, head: Api): readonly Change[] {
  const changes = createChangeList({ base, head })
  compareOperations(base, head, changes)
  compareNames(base, head, changes)
  compareRest(base, head, changes)
  return changes.all()
}

function compareOperations(base: Api, head: Api, changes: ChangeList): void {
  const pair = { changes, ...sidesOf(base, head) }
  const address = ({ method, path }: Operation) => `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`
  const left = new Set(base.operations)
  const unmatched: Operation[] = []
  for (const operation of head.operations) {
    const before = base.operations.find(({ id }) => id === operation.id)
    if (before) {
      left.delete(before)
      compareOperation(before, operation, pair)
    } else unmatched.push(operation)
  }
  for (const operation of unmatched) {
    const { id, origin } = operation
    const before = [...left].find((one) => address(one) === address(operation))
    if (before) {
      left.delete(before)
      changes.note('operation-id-changed', `${before.id} is called ${id} now`, { side: 'head', origin }, 'none', id)
      compareOperation(before, operation, pair)
    } else
      changes.note(
        'operation-added',
        `${id} is new: ${operation.method.toUpperCase()} ${operation.path}`,
        { side: 'head', origin },
        'none',
        id,
      )
  }
  for (const { id, method, path, origin } of left)
    changes.note('operation-removed', `${id} is gone: ${method.toUpperCase()} ${path}`, { side: 'base', origin }, 'none', id)
}

/** Names are exported even if no operation uses them. */
function compareNames(base: Api, head: Api, changes: ChangeList): void {
  const gone = new Set(base.schemas.filter(({ name }) => !head.schemas.some((one) => one.name === name)))
  const used = new Set([...reached(base), ...reached(head)])
  const sides = sidesOf(base, head)
  for (const named of head.schemas) {
    const { name, schema, origin } = named
    const spot = { side: 'head', origin } as const
    const before = base.schemas.find((one) => one.name === name)
    if (before) {
      if (used.has(name) || signatureOf(before.schema) === signatureOf(schema)) continue
      // reported once as a whole, since the direction of its values is unknown
      const aside = createChangeList({ base, head })
      if (compareSchema(before.schema, schema, name, { ...sides, direction: 'response', changes: aside }))
        changes.note('schema-changed', `${name}, which no operation uses, has other values now`, spot, 'none')
      continue
    }
    const twin = [...gone].find((one) => signatureOf(one.schema) === signatureOf(schema))
    if (twin) {
      gone.delete(twin)
      changes.note('schema-renamed', `the schema ${twin.name} is called ${name} now`, spot, 'none')
    } else changes.note('schema-added', `the schema ${name} is new`, spot, 'none')
  }
  for (const { name, origin } of gone) changes.note('schema-removed', `the schema ${name} is gone`, { side: 'base', origin }, 'none')
}

function compareRest(base: Api, head: Api, changes: ChangeList): void {
  const spot = { side: 'head', origin: { file: head.source, pointer: '' } } as const
  const note = (code: Parameters<ChangeList['note']>[0], sentence: string) => changes.note(code, sentence, spot, 'none')
  if (base.title !== head.title) note('info-title-changed', `the title was ${base.title} and is ${head.title} now`)
  if (base.version !== head.version) note('info-version-changed', `the version was ${base.version} and is ${head.version} now`)
  if (base.description !== head.description) note('info-description-changed', 'the document has another description')
  for (const { url } of head.servers) if (!base.servers.some((one) => one.url === url)) note('server-added', `the server ${url} is new`)
  for (const { url } of base.servers) if (!head.servers.some((one) => one.url === url)) note('server-removed', `the server ${url} is gone`)
  for (const server of head.servers) {
    const before = base.servers.find(({ url }) => url === server.url)
    if (!before) continue
    if (JSON.stringify(before.variables) !== JSON.stringify(server.variables))
      note('server-changed', `the variables of the server ${server.url} have other defaults now`)
    if (before.description !== server.description) note('server-description-changed', `the server ${server.url} has another description`)
  }
  for (const scheme of head.securitySchemes) {
    const before = base.securitySchemes.find(({ name }) => name === scheme.name)
    if (!before) note('security-scheme-added', `the security scheme ${scheme.name} is new`)
    else if (JSON.stringify(before) !== JSON.stringify(scheme))
      note('security-scheme-changed', `the security scheme ${scheme.name} has changed`)
  }
  for (const { name } of base.securitySchemes)
    if (!head.securitySchemes.some((one) => one.name === name)) note('security-scheme-removed', `the security scheme ${name} is gone`)
  for (const name of new Set([...Object.keys(base.extensions), ...Object.keys(head.extensions)])) {
    const [before, after] = [base.extensions[name], head.extensions[name]]
    if (before === undefined) note('table-added', `the table ${name} is new`)
    else if (after === undefined) note('table-removed', `the table ${name} is gone`)
    else if (JSON.stringify(before) !== JSON.stringify(after)) note('table-changed', `the table ${name} has other values now`)
  }
}

/** Names of the schemas that operations use, directly or through others. */
function reached({ schemas, operations }: Api): ReadonlySet<string> {
  const byName = new Map(schemas.map(({ name, schema }) => [name, schema]))
  const found = new Set(refsIn(operations.map(({ parameters, body, responses }) => [parameters, body, responses])))
  for (const name of found) for (const inner of refsIn(byName.get(name))) found.add(inner)
  return found
}
