import type { ErrorDetails } from '@farebox/types'
import type * as z from 'zod'
import { invalidInput } from '../contract/failures.js'
import { HttpError } from './http-error.js'

/** Collects the issues of validators into one DetailedError, nested like the fields. */
export type Faults = {
  readonly check: (schema: z.ZodType, value: unknown, at: readonly string[]) => void
  /** Throws if there is any issue. */
  readonly raise: () => void
}

/** A body can have a million faults. */
const mostFaults = 50

/** Characters of a message: an enum may have thousands of values. */
const longestSentence = 400

export function collectFaults(): Faults {
  const details: ErrorDetails = {}
  const sentences: string[] = []
  return {
    check: (schema, value, at) => {
      for (const issue of schema.safeParse(value).error?.issues ?? []) {
        if (sentences.length >= mostFaults) return
        const place = [...at, ...issue.path.map(String)]
        const message = describeIssue(issue)
        sentences.push(place.length === 0 ? message : `${place.join('.')}: ${message}`)
        note(details, place, message)
      }
    },
    raise: () => {
      if (sentences.length > 0)
        throw new HttpError(
          invalidInput(`The request is not valid. ${sentences.slice(0, 3).join('; ')}`, details),
        )
    },
  }
}

/** The message of an issue. A union has one for each of its forms. */
function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0)
    return bounded(issue.message, longestSentence)
  const share = Math.max(80, Math.floor(longestSentence / issue.errors.length))
  const forms = issue.errors.slice(0, 5).flatMap(([first]) => {
    if (first === undefined) return []
    const message = bounded(first.message, share)
    return first.path.length === 0 ? message : `${first.path.join('.')}: ${message}`
  })
  return `Invalid in each of its forms: ${forms.join('; or ')}`
}

function bounded(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

function note(details: ErrorDetails, path: readonly string[], message: string): void {
  let node = details as Record<string, unknown>
  for (const name of path) {
    // a field can be named __proto__ or _errors
    if (!Object.hasOwn(node, name) || Array.isArray(node[name])) {
      Object.defineProperty(node, name, {
        value: {},
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    node = node[name] as Record<string, unknown>
  }
  const earlier =
    Object.hasOwn(node, '_errors') && Array.isArray(node['_errors'])
      ? (node['_errors'] as string[])
      : []
  node['_errors'] = [...earlier, message]
}
