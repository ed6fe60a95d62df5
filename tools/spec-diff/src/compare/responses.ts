import type { Operation, Response } from '@farebox/codegen/model'
import { compareContents } from './contents.js'
import { toMediaKey } from './media-key.js'
import type { Note, Pair } from '../change/note.js'
import { compareSchema } from '../schema/schema.js'

/** Reports the changes of responses and of their headers. */
export function compareResponses(base: Operation, head: Operation, pair: Pair, note: Note): void {
  const ranges = findRanges(base.responses, head.responses)
  for (const response of head.responses) {
    const { status } = response
    const same = findResponse(base.responses, status)
    const replaced = ranges.get(response) ?? []
    if (same === undefined && replaced.length === 0)
      note(
        isSuccess(response) ? 'response-success-status-added' : 'response-error-status-added',
        `it may respond with ${status} now`,
      )
    for (const before of same === undefined ? replaced : [same]) {
      if (before !== same) noteRange(before, response, note)
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
  }
  const replaced = new Set([...ranges.values()].flat())
  for (const response of base.responses) {
    if (findResponse(head.responses, response.status) !== undefined || replaced.has(response))
      continue
    note(
      isSuccess(response) ? 'response-success-status-removed' : 'response-error-status-removed',
      `it no longer returns ${response.status}`,
      { gone: true },
    )
  }
}

function noteRange(before: Response, after: Response, note: Note): void {
  const isWider = coversStatus(after, before)
  const kind = isSuccess(after) ? 'success' : 'error'
  const [from, to] = [before, after].map(({ status }) => String(status).replace('default', 'other'))
  note(
    `response-${kind}-status-${isWider ? 'widened' : 'narrowed'}`,
    isWider
      ? `the response was ${from} and may be any ${to} now`
      : `the response was any ${from} and is ${to} now`,
    { from: before.status, to: after.status },
  )
}

function findResponse(
  responses: readonly Response[],
  status: Response['status'],
): Response | undefined {
  return responses.find((one) => one.status === status)
}

/** The responses that a range such as `4XX` replaces, and those that replace one. */
function findRanges(
  base: readonly Response[],
  head: readonly Response[],
): ReadonlyMap<Response, readonly Response[]> {
  const gone = base.filter(({ status }) => findResponse(head, status) === undefined)
  const added = head.filter(({ status }) => findResponse(base, status) === undefined)
  return new Map(
    added.map((response) => [
      response,
      gone.filter((one) => coversStatus(one, response) || coversStatus(response, one)),
    ]),
  )
}

/** Whether a response is a range with the status of the other one. A success is no default. */
function coversStatus({ status: range }: Response, other: Response): boolean {
  if (range === other.status) return false
  if (range === 'default') return !isSuccess(other)
  return typeof other.status === 'number' && range === `${String(other.status)[0]}XX`
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
      if (toMediaKey(from.mediaType ?? '') !== toMediaKey(header.mediaType ?? ''))
        note(
          'response-header-form-changed',
          `the header ${header.name} ${of} is written in another form now`,
          { from: from.mediaType, to: header.mediaType },
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
