import type { Api, Operation } from '@farebox/codegen'
import type { Code } from './catalogue.js'
import type { ChangeList } from './change-list.js'
import type { Extra, Extras } from './read-extras.js'
import { text } from './note-operation.js'

type Side = { readonly api: Api; readonly extras?: Extras }

/** Reports the changes of links and of headers of parts, for operations that both versions have. */
export function compareExtras(base: Side, head: Side, changes: ChangeList): void {
  for (const operation of head.api.operations) {
    const known = base.api.operations.find(({ id }) => id === operation.id)
    if (known !== undefined)
      compareOperation(operation.id, findExtras(base, known), findExtras(head, operation), changes)
  }
}

function findExtras({ extras }: Side, { method, path }: Operation): readonly Extra[] {
  return extras?.get(`${method} ${path}`) ?? []
}

function compareOperation(
  operation: string,
  base: readonly Extra[],
  head: readonly Extra[],
  changes: ChangeList,
): void {
  const note = (
    code: Code,
    said: string,
    side: 'base' | 'head',
    { kind, title, origin }: Extra,
    values: object,
  ) =>
    changes.note(
      code,
      `${operation}: ${title} ${said}`,
      { side, origin },
      {
        direction:
          kind === 'link' ? 'none' : kind === 'request-part-header' ? 'request' : 'response',
        subject: { kind: 'operation', name: operation },
        operation,
        ...values,
      },
    )
  for (const extra of head) {
    const before = base.find(({ title }) => title.toLowerCase() === extra.title.toLowerCase())
    const isRequired = extra.kind === 'request-part-header' && extra.value['required'] === true
    const values = { from: before?.value, to: extra.value }
    if (before === undefined)
      note(
        isRequired ? 'request-part-header-required' : `${extra.kind}-added`,
        isRequired ? 'is new and required' : 'is new',
        'head',
        extra,
        values,
      )
    else if (isRequired && before.value['required'] !== true)
      note('request-part-header-required', 'is required now', 'head', extra, values)
    else if (text(before.value) !== text(extra.value))
      note(`${extra.kind}-changed`, 'says something else now', 'head', extra, values)
  }
  for (const extra of base)
    if (!head.some(({ title }) => title.toLowerCase() === extra.title.toLowerCase()))
      note(`${extra.kind}-removed`, 'is gone', 'base', extra, { from: extra.value })
}
