import type { Api, Operation } from '@farebox/codegen'
import { compareOperation } from './compare-operation.js'
import type { About } from './change.js'
import type { ChangeList } from './change-list.js'
import type { Pair } from './note-operation.js'
import { possibleRenames, type LoneName } from './renames/possible-renames.js'
import { signature } from './signature.js'

/** Pairs operations by id, then by method and path. */
export function compareOperations(base: Api, head: Api, pair: Pair): void {
  const { changes } = pair
  const left = new Set(base.operations)
  const byId = new Map(base.operations.map((operation) => [operation.id, operation]))
  const unmatched: Operation[] = []
  const added: Operation[] = []
  for (const operation of head.operations) {
    const before = byId.get(operation.id)
    if (before) {
      left.delete(before)
      compareBoth(before, operation, pair)
    } else unmatched.push(operation)
  }
  const byAddress = new Map([...left].map((operation) => [address(operation), operation]))
  for (const operation of unmatched) {
    const { id, origin } = operation
    const before = byAddress.get(address(operation))
    if (before && left.delete(before)) {
      changes.note(
        'operation-id-changed',
        `${before.id} is called ${id} now`,
        { side: 'head', origin },
        { ...about(id), from: before.id, to: id },
      )
      compareBoth(before, operation, pair)
    } else {
      added.push(operation)
      changes.note(
        'operation-added',
        `${id} is new: ${operation.method.toUpperCase()} ${operation.path}`,
        { side: 'head', origin },
        about(id),
      )
    }
  }
  noteRemoved([...left], added, changes)
}

function address({ method, path }: Operation): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`
}

function compareBoth(before: Operation, after: Operation, pair: Pair): void {
  if (pair.sameness.isSame(before, after)) return
  compareOperation(pair.base.normalizeOperation(before), pair.head.normalizeOperation(after), pair)
}

function noteRemoved(
  gone: readonly Operation[],
  added: readonly Operation[],
  changes: ChangeList,
): void {
  const renames = possibleRenames(
    { kind: 'operation' },
    added.length === 0 ? [] : gone.map(loneName),
    added.map(loneName),
  )
  for (const { id, method, path, origin } of gone)
    changes.note(
      'operation-removed',
      `${id} is gone: ${method.toUpperCase()} ${path}`,
      { side: 'base', origin },
      { ...about(id), possibleRenames: renames(id) },
    )
}

function about(id: string): About {
  return { direction: 'none', subject: { kind: 'operation', name: id }, operation: id }
}

function loneName({
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
