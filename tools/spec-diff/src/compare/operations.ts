import type { Api, Operation } from '@farebox/codegen/model'
import type { Code } from '../change/catalogue.js'
import type { ChangeList } from '../change/change-list.js'
import type { ChangeFacts } from '../change/change.js'
import { compareBody } from './contents.js'
import { compareParameters } from './parameters.js'
import { compareResponses } from './responses.js'
import { compareSecurity } from './security.js'
import { compareServers } from './document.js'
import { type Note, createNote, type Pair, printJson } from '../change/note.js'
import { findPossibleRenames, type LoneName } from '../change/possible-renames.js'
import { signature } from '../values/signature.js'

/** Pairs operations by id, then by method and path. */
export function compareOperations(base: Api, head: Api, pair: Pair): void {
  const { changes } = pair
  const compareBoth = (before: Operation, after: Operation): void =>
    comparePair(withServers(before, after, base), withServers(after, before, head), pair)
  const left = new Set(base.operations)
  const byId = new Map(base.operations.map((operation) => [operation.id, operation]))
  const unmatched: Operation[] = []
  const added: Operation[] = []
  for (const operation of head.operations) {
    const before = byId.get(operation.id)
    if (before) {
      left.delete(before)
      compareBoth(before, operation)
    } else unmatched.push(operation)
  }
  const byAddress = new Map([...left].map((operation) => [toAddress(operation), operation]))
  for (const operation of unmatched) {
    const { id, origin } = operation
    const before = byAddress.get(toAddress(operation))
    if (before && left.delete(before)) {
      changes.note(
        'operation-id-changed',
        `${before.id} is called ${id} now`,
        { side: 'head', origin },
        { ...createAbout(id), from: before.id, to: id },
      )
      compareBoth(before, operation)
    } else {
      added.push(operation)
      changes.note(
        'operation-added',
        `${id} is new: ${operation.method.toUpperCase()} ${operation.path}`,
        { side: 'head', origin },
        createAbout(id),
      )
    }
  }
  noteRemoved([...left], added, changes)
}

function toAddress({ method, path }: Operation): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`
}

/** An operation with the servers of its document, if it has no own and the other version has. */
function withServers(operation: Operation, other: Operation, { servers }: Api): Operation {
  return operation.servers.length === 0 && other.servers.length > 0
    ? { ...operation, servers }
    : operation
}

function comparePair(before: Operation, after: Operation, pair: Pair): void {
  if (pair.sameness.isSame(before, after)) return
  const base = toAddress(before) === toAddress(after) ? renameTemplates(before, after.path) : before
  if (base.path !== before.path)
    createNote(base, after, pair)(
      'operation-template-renamed',
      `the path was written ${before.path} and is written ${after.path} now, which is the same address`,
      { from: before.path, to: after.path },
    )
  compareOperation(pair.base.normalizeOperation(base), pair.head.normalizeOperation(after), pair)
}

/** An operation with the names that another version gives to the parts of its path. */
function renameTemplates(operation: Operation, path: string): Operation {
  const [from, to] = [operation.path, path].map((one) => one.match(/(?<=\{)[^}]*(?=\})/g) ?? [])
  const names = new Map(from?.map((name, index) => [name, to?.[index] ?? name]))
  const parameters = operation.parameters.map((parameter) =>
    parameter.in === 'path'
      ? { ...parameter, name: names.get(parameter.name) ?? parameter.name }
      : parameter,
  )
  return { ...operation, path, parameters }
}

function noteRemoved(
  gone: readonly Operation[],
  added: readonly Operation[],
  changes: ChangeList,
): void {
  const renames = findPossibleRenames(
    { kind: 'operation' },
    added.length === 0 ? [] : gone.map(toLoneName),
    added.map(toLoneName),
  )
  for (const { id, method, path, origin } of gone)
    changes.note(
      'operation-removed',
      `${id} is gone: ${method.toUpperCase()} ${path}`,
      { side: 'base', origin },
      { ...createAbout(id), possibleRenames: renames(id) },
    )
}

function createAbout(id: string): ChangeFacts {
  return { direction: 'none', subject: { kind: 'operation', name: id }, operation: id }
}

function toLoneName({
  id,
  origin,
  extensions,
  method,
  parameters,
  body,
  responses,
}: Operation): LoneName {
  const contents = (all: Operation['responses'][number]['contents']) =>
    all.map(({ mediaType, schema }) => [mediaType, signature(schema)])
  const shape = JSON.stringify([
    method,
    parameters.map((one) => [one.in, one.name, one.required, signature(one.schema)]),
    body && [body.required, contents(body.contents)],
    responses.map((one) => [one.status, contents(one.contents)]),
  ])
  return { name: id, origin, renamedFrom: extensions['x-renamed-from'], shape }
}

/** Reports the changes of an operation that both documents have. */
function compareOperation(base: Operation, head: Operation, pair: Pair): void {
  const note = createNote(base, head, pair)
  if (base.path !== head.path)
    note('operation-path-changed', `the path was ${base.path} and is ${head.path} now`, {
      from: base.path,
      to: head.path,
    })
  if (base.method !== head.method)
    note('operation-method-changed', `the method was ${base.method} and is ${head.method} now`, {
      from: base.method,
      to: head.method,
    })
  if (base.deprecated !== head.deprecated)
    note(
      head.deprecated ? 'operation-deprecated' : 'operation-undeprecated',
      `it is ${head.deprecated ? '' : 'no longer '}deprecated`,
    )
  if (base.summary !== head.summary || base.description !== head.description)
    note('operation-description-changed', 'it has another description')
  if (printJson(base.tags) !== printJson(head.tags))
    note('operation-tags-changed', `its tags are ${head.tags.join(', ') || 'none'} now`, {
      from: base.tags,
      to: head.tags,
    })
  if (base.idempotent !== head.idempotent)
    note(
      head.idempotent ? 'operation-idempotent' : 'operation-not-idempotent',
      `it may ${head.idempotent ? '' : 'no longer '}be repeated`,
    )
  compareSecurity(base, head, note)
  compareServers(base.servers, head.servers, note)
  compareFacts(base, head, note)
  compareParameters(base, head, pair, note)
  compareBody(base, head, pair, note)
  compareResponses(base, head, pair, note)
}

const facts: Readonly<Record<string, Code>> = {
  'x-rate-limit': 'operation-rate-limit-changed',
  'x-price-usd': 'operation-price-changed',
  'x-max-body-bytes': 'operation-file-limit-changed',
  'x-max-file-bytes': 'operation-file-limit-changed',
}

function compareFacts(base: Operation, head: Operation, note: Note): void {
  for (const name of new Set([...Object.keys(base.extensions), ...Object.keys(head.extensions)])) {
    const [before, after] = [base.extensions[name], head.extensions[name]]
    // reported by its effect on the operation
    if (printJson(before) === printJson(after) || name === 'x-idempotent') continue
    note(
      facts[name] ?? 'operation-fact-changed',
      `${name} was ${before === undefined ? 'not there' : printJson(before)} and is ${after === undefined ? 'gone' : printJson(after)} now`,
      { from: before, to: after },
    )
  }
}
