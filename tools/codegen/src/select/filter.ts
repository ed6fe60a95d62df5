import { isList, own } from '../document/json.js'
import type { JsonObject } from '../document/json.js'

/** An operation as filters see it. */
export type Candidate = {
  readonly method: string
  readonly path: string
  readonly node: JsonObject
}

export type Filter = {
  /** As the user wrote it. */
  readonly text: string
  readonly matches: (candidate: Candidate) => boolean
  /** Filters for exactly this operation, one for each of its tags. Empty for an x- field. */
  readonly exact: (candidate: Candidate) => readonly string[]
}

/** What filters look like, for messages. */
export const filterForms =
  'tag:NAME, path:/PATH, id:OPERATION, method:GET or x-FIELD[:VALUE], in which * stands for anything but a slash and ** for anything'

/** Reads `tag:pets`, `path:/admin/**`, `x-internal` and the like; undefined for anything else. */
export function readFilter(text: string): Filter | undefined {
  const colon = text.indexOf(':')
  const [kind, pattern] =
    colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)]
  const extension = kind.startsWith('x-') && kind.length > 2
  if (!extension && (pattern === undefined || pattern === '')) return undefined
  const fits = createMatcher(pattern ?? '**', kind === 'method' ? 'i' : '')
  if (extension)
    return {
      text,
      matches: ({ node }) => matchesValue(own(node, kind), pattern, fits),
      exact: () => [],
    }
  const values = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  return (
    values && {
      text,
      matches: (candidate) => values(candidate).some(fits),
      exact: (candidate) => values(candidate).map((value) => `${kind}:${value}`),
    }
  )
}

const kinds: Readonly<Record<string, (candidate: Candidate) => readonly string[]>> = {
  tag: ({ node }) => strings(own(node, 'tags')),
  path: ({ path }) => [path],
  id: ({ node }) => strings([own(node, 'operationId') ?? null]),
  method: ({ method }) => [method],
}

function strings(value: unknown): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Without a pattern, a field counts that is there and not false. */
function matchesValue(
  value: unknown,
  pattern: string | undefined,
  matches: (text: string) => boolean,
): boolean {
  if (value === undefined) return false
  if (pattern === undefined) return value !== false && value !== null
  return (isList(value) ? value : [value]).some((item) =>
    matches(typeof item === 'string' ? item : JSON.stringify(item)),
  )
}

function createMatcher(pattern: string, flags: string): (text: string) => boolean {
  const source = pattern
    .split(/(\*+)/)
    .map((part) =>
      part === '*'
        ? '[^/]*'
        : part.startsWith('*')
          ? '.*'
          : part.replaceAll(/[\\^$.+?()[\]{}|/]/g, '\\$&'),
    )
  const expression = new RegExp(`^${source.join('')}$`, `s${flags}`)
  return (text) => expression.test(text)
}
