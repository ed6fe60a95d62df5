import type { Response } from '../ir/api.js'
import { code, symbol, type Code } from './code.js'

/** The statuses of a declared response, as a type. */
export type StatusType = { readonly type: Code; readonly succeeds: boolean }

type Status = Response['status']

/**
 * One type for each class of statuses of a response, with successes apart from failures. No status
 * is in the types of two responses.
 */
export function statusTypes(
  { status }: Response,
  responses: readonly Response[],
): readonly StatusType[] {
  const declared = responses.map((response) => response.status)
  if (typeof status === 'number')
    return [{ type: code`${status}`, succeeds: statusClass(status) === '2' }]
  if (status !== 'default')
    return [
      { type: statusRange([statusClass(status)], declared), succeeds: statusClass(status) === '2' },
    ]
  // beside a declared success, `default` means failures; otherwise it means both
  const succeeds = declared.some((other) => statusClass(other) === '2')
  const failure = { type: statusRange(['3', '4', '5'], declared, true), succeeds: false }
  return succeeds
    ? [failure]
    : [{ type: statusRange(['2'], declared, true), succeeds: true }, failure]
}

/**
 * Every status of some classes, except those that are declared themselves or, with `beyondRanges`,
 * by their range.
 */
function statusRange(
  classes: readonly string[],
  declared: readonly Status[],
  beyondRanges = false,
): Code {
  const left = classes.filter(
    (one) => !beyondRanges || !declared.some((status) => status === `${one}XX`),
  )
  if (left.length === 0) return code`never`
  const range = code`${symbol('StatusRange', './call.js', { typeOnly: true })}<${left.map((one) => `'${one}'`).join(' | ')}>`
  const apart = declared.filter(
    (status) => typeof status === 'number' && left.includes(statusClass(status)),
  )
  return apart.length === 0 ? range : code`Exclude<${range}, ${apart.join(' | ')}>`
}

function statusClass(status: Status): string {
  return String(status).charAt(0)
}
