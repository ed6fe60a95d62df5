import { isMap, isScalar, parseDocument } from 'yaml'
import { createNewFile, ScaffoldError, type Change, type SourceReader } from './addition.js'
import { toKebab, toPascal, toSentence } from './names.js'

/** An operation of the contract: its place, and all that it says. */
export type Model = {
  readonly name: string
  readonly path: string
  readonly method: string
  /** The parameters of the path, if it has any, and the operation, as they are written. */
  readonly yaml: string
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** The operation of the contract with an id. */
export function findModel(contract: string, name: string, read: SourceReader): Model {
  const names: string[] = []
  for (const [path, file] of listFiles(contract, 'paths')) {
    const text = read(file)
    for (const method of methods) {
      const block = findTopLevelEntry(text, method)
      const [, id = ''] = /^ {2}operationId: (\w+)$/m.exec(block) ?? []
      if (id === name)
        return { name, path, method, yaml: `${findTopLevelEntry(text, 'parameters')}${block}` }
      if (id !== '') names.push(id)
    }
  }
  throw new ScaffoldError(
    `The contract has no operation ${JSON.stringify(name)}; --like takes one of ${names.join(', ')}.`,
  )
}

/**
 * A new operation that says what the model says, of schemas and examples of its own: its YAML, the
 * files that it needs, and the new schemas by name.
 */
export function copyOperation(
  model: Model,
  name: string,
  path: string,
  contract: string,
  read: SourceReader,
): {
  readonly yaml: string
  readonly files: readonly Change[]
  readonly schemas: readonly string[]
} {
  const renames = listOwnSchemas(model, name, contract, read)
  const examples = [
    ...new Set(
      [...model.yaml.matchAll(/\.\.\/examples\/(\w+\/[\w-]+\.yaml)$/gm)].map(
        ([, file = '']) => file,
      ),
    ),
  ]
  const own = examples.filter((file) => file.startsWith(`${model.name}/`))
  const replaceNames = (text: string) =>
    [...renames].reduce(
      (rest, [from, to]) => rest.replaceAll(new RegExp(`(?<=schemas/)${from}(?=\\.yaml)`, 'g'), to),
      text,
    )
  const yaml = replaceNames(model.yaml)
    .replace(/^ {2}operationId: .*$/m, `  operationId: ${name}`)
    .replace(/^ {2}summary: .*$/m, `  summary: ${toSentence(name)}`)
    .replace(/^ {2}x-provisional:.*\n(?: {3,}.*\n)*/m, '')
    .replace(/^ {2}x-renamed-from:.*\n/m, '')
    .replace(
      /^ {2}x-idempotent:/m,
      '  x-provisional: The interface specification does not name this operation.\n$&',
    )
    .replaceAll(`../examples/${model.name}/`, `../examples/${name}/`)
  return {
    yaml,
    files: [
      ...[...renames].map(([from, to]) =>
        createNewFile(
          `spec/schemas/${to}.yaml`,
          markProvisional(read(`spec/schemas/${from}.yaml`)),
        ),
      ),
      ...own.map((file) =>
        createNewFile(
          `spec/examples/${file.replace(model.name, name)}`,
          read(`spec/examples/${file}`),
        ),
      ),
      ...copySamples(model, name, path, read),
    ],
    schemas: [...renames.values()],
  }
}

/** The names of the copied schemas: those that no other operation and no other schema refers to. */
function listOwnSchemas(
  model: Model,
  name: string,
  contract: string,
  read: SourceReader,
): ReadonlyMap<string, string> {
  const listReferences = (text: string) =>
    [...text.matchAll(/(?:schemas|\.)\/(\w+)\.yaml$/gm)].map(([, schema = '']) => schema)
  const direct = [
    ...new Set(
      [...model.yaml.matchAll(/\.\.\/schemas\/(\w+)\.yaml$/gm)].map(([, schema = '']) => schema),
    ),
  ]
  const others = [
    ...listFiles(contract, 'paths').map(([, file]) => read(file).replace(model.yaml, '')),
    ...listFiles(contract, 'components', 'schemas').map(([, file]) => read(file)),
  ].flatMap(listReferences)
  const own = direct.filter((schema) => !others.includes(schema))
  const [before, after] = [toPascal(model.name), toPascal(name)]
  return new Map(
    own.map((schema, _, { length }) => {
      const isRequest = model.yaml.indexOf(`/${schema}.yaml`) < model.yaml.indexOf('\n  responses:')
      const plain = `${after}${isRequest ? 'Request' : length > 2 ? schema : 'Result'}`
      return [schema, schema.includes(before) ? schema.replace(before, after) : plain]
    }),
  )
}

/** The lists of the tests that have what the samples print, and the statuses of the examples. */
export function copyExpectations(
  model: Model,
  name: string,
  read: SourceReader,
): readonly Change[] {
  const [from, to] = [toKebab(model.name), toKebab(name)]
  return [
    copyLines('packages/docs/samples/expected.ts', read, new RegExp(`^ +'api/${from}/`), (line) =>
      line.replace(from, to),
    ),
    copyLines(
      'packages/service/src/app/examples.test.ts',
      read,
      new RegExp(`^ +'${model.name} `),
      (line) => line.replace(model.name, name),
    ),
  ]
}

/** Copies lines of a list behind the last of them. */
function copyLines(
  path: string,
  read: SourceReader,
  which: RegExp,
  copy: (line: string) => string,
): Change {
  const lines = read(path).split('\n')
  const last = lines.findLastIndex((line) => which.test(line))
  const copies = lines.filter((line) => which.test(line)).map(copy)
  return {
    path,
    text: [...lines.slice(0, last + 1), ...copies, ...lines.slice(last + 1)].join('\n'),
    isNew: false,
  }
}

const sampleFiles = ['curl.sh', 'fetch.ts', 'openai.ts', 'python.py', 'sdk.ts']

function copySamples(
  model: Model,
  name: string,
  path: string,
  read: SourceReader,
): readonly Change[] {
  return sampleFiles.flatMap((file) => {
    const text = readIfThere(`packages/docs/samples/api/${toKebab(model.name)}/${file}`, read)
    if (text === undefined) return []
    const copied = text
      .replaceAll(model.path, path)
      .replaceAll(new RegExp(`\\b${model.name}\\b`, 'g'), name)
    return [createNewFile(`packages/docs/samples/api/${toKebab(name)}/${file}`, copied)]
  })
}

/** A handler that does what that of the model does, if that has a file of its own. */
export function copyHandler(model: Model, name: string, read: SourceReader): string | undefined {
  const text = readIfThere(`packages/service/src/handlers/${toKebab(model.name)}.ts`, read)
  if (text === undefined || [...text.matchAll(/^export /gm)].length !== 1) return undefined
  return text.replaceAll(new RegExp(`\\b${model.name}\\b`, 'g'), name)
}

function markProvisional(schema: string): string {
  return /^x-provisional:/m.test(schema)
    ? schema
    : `${schema}x-provisional: The interface specification does not name it.\n`
}

/** The files that a map of the contract refers to, by key. */
function listFiles(
  contract: string,
  ...at: readonly string[]
): readonly (readonly [key: string, file: string])[] {
  const map = parseDocument(contract).getIn(at)
  if (!isMap(map)) throw new ScaffoldError(`spec/openapi.yaml has no ${at.join('.')}.`)
  return map.items.flatMap(({ key, value }): (readonly [string, string])[] => {
    const file = isMap(value) ? value.get('$ref') : undefined
    return isScalar(key) && typeof file === 'string'
      ? [[String(key.value), file.replace('./', 'spec/')]]
      : []
  })
}

/** An entry of the root of a YAML file with all that belongs to it, or nothing. */
function findTopLevelEntry(text: string, key: string): string {
  return new RegExp(`^${key}:.*\\n(?:(?: .*)?\\n)*`, 'm').exec(text)?.[0] ?? ''
}

function readIfThere(path: string, read: SourceReader): string | undefined {
  try {
    return read(path)
  } catch {
    return undefined
  }
}
