import type { Api, Operation } from '@farebox/codegen'
import { compareOperation } from './compare-operation.js'
import type { ChangeList } from './change-list.js'
import { sidesOf } from './side.js'

/** Pairs operations by id, then by method and path. */
export function compareOperations(base: Api, head: Api, changes: ChangeList): void {
  const pair = { changes, ...sidesOf(base, head) }
  const address = ({ method, path }: Operation) => `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`
  const left = new Set(base.operations)
  const unmatched: Operation[] = []
  const of = (id: string) => ({ direction: 'none', subject: { kind: 'operation', name: id }, operation: id }) as const
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
      changes.note(
        'operation-id-changed',
        `${before.id} is called ${id} now`,
        { side: 'head', origin },
        { ...of(id), from: before.id, to: id },
      )
      compareOperation(before, operation, pair)
    } else
      changes.note('operation-added', `${id} is new: ${operation.method.toUpperCase()} ${operation.path}`, { side: 'head', origin }, of(id))
  }
  for (const { id, method, path, origin } of left)
    changes.note('operation-removed', `${id} is gone: ${method.toUpperCase()} ${path}`, { side: 'base', origin }, of(id))
}
