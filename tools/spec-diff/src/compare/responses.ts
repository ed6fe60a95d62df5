import type { Operation, Response } from '@farebox/codegen'
import { compareContents } from './contents.js'
import { compareSchema } from '../schema/schema.js'
import type { Note, Pair } from '../change/note.js'

export function compareResponses(base: Operation, head: Operation, pair: Pair, note: Note): void {
  for (const response of head.responses) {
    const { status } = response
    const before = base.responses.find((one) => one.status === status)
    if (!before) {
      note(
        isSuccess(response) ? 'response-success-status-added' : 'response-error-status-added',
        `it may respond with ${status} now`,
      )
      continue
    }
    if (before.description !== response.description)
      note('operation-description-changed', `the response ${status} has another description`)
    compareHeaders(before, response, pair, head.id, note)
    compareContents(
      before.contents,
      response.contents,
      'response',
      `${head.id}: the response ${status}`,
      pair,
      head.id,
      note,
    )
  }
  for (const response of base.responses) {
    if (head.responses.some(({ status }) => status === response.status)) continue
    note(
      isSuccess(response) ? 'response-success-status-removed' : 'response-error-status-removed',
      `it no longer answers ${response.status}`,
      { gone: true },
    )
  }
}

function compareHeaders(
  base: Response,
  head: Response,
  pair: Pair,
  operation: string,
  note: Note,
): void {
  const find = ({ headers }: Response, wanted: string) =>
    headers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const of = `of the response ${head.status}`
  for (const header of head.headers) {
    const from = find(base, header.name)
    if (!from) note('response-header-added', `the header ${header.name} ${of} is new`)
    else {
      if (from.required !== header.required)
        note(
          header.required ? 'response-header-required' : 'response-header-optional',
          `the header ${header.name} ${of} is ${header.required ? 'always' : 'not always'} there now`,
        )
      if (from.description !== header.description)
        note(
          'operation-description-changed',
          `the header ${header.name} ${of} has another description`,
        )
      compareSchema(from.schema, header.schema, `${operation}: the header ${header.name} ${of}`, {
        ...pair,
        direction: 'response',
        operation,
      })
    }
  }
  for (const { name } of base.headers)
    if (!find(head, name))
      note('response-header-removed', `the header ${name} ${of} is gone`, { gone: true })
}

function isSuccess({ status }: Response): boolean {
  return String(status).startsWith('2')
}
