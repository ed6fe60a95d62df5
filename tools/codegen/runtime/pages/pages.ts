/** How the input of the next page follows from a page. */
export type PageRule =
  /** A cursor in a field of the page. `more` is false on the last page. */
  | {
      readonly by: 'cursor'
      readonly field: string
      readonly path: readonly string[]
      readonly more?: readonly string[]
    }
  /** The `id` of the last item, while `more` is true. */
  | {
      readonly by: 'last'
      readonly field: string
      readonly path: readonly string[]
      readonly more: readonly string[]
    }
  /** The number of items or of pages so far. `path` leads to the items. */
  | {
      readonly by: 'offset' | 'page'
      readonly field: string
      readonly path: readonly string[]
      readonly start: number
    }
  /** The Link header, whose query sets these fields, by the names of their parameters. */
  | { readonly by: 'link'; readonly fields: Readonly<Record<string, string>> }

type AnyResult = {
  readonly status: number
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

type Input = Readonly<Record<string, unknown>>

/** The results of an operation page by page. A failure is yielded too, and is the last. */
export async function* iteratePages<Result extends AnyResult>(
  call: (input: never) => Promise<Result>,
  input: object | undefined,
  rule: PageRule,
): AsyncGenerator<Result, void, undefined> {
  const seen = new Set<string>()
  let next: Input | undefined = { ...input }
  while (next !== undefined) {
    const result = await call(next as never)
    yield result
    const change: Input | undefined =
      'error' in result ? undefined : findNextInput(rule, next, result.data, result.response)
    // a service that repeats a cursor would be asked for ever
    const key = JSON.stringify(change, printBigint)
    if (change === undefined || seen.has(key)) return
    seen.add(key)
    next = { ...next, ...change }
  }
}

function printBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/** What changes in the input for the page after this one; undefined behind the last one. */
export function findNextInput(
  rule: PageRule,
  input: Input,
  data: unknown,
  response?: Response,
): Input | undefined {
  if (rule.by === 'link') return readLinkedInput(rule.fields, response, input)
  if ('more' in rule && rule.more !== undefined && readPath(data, rule.more) === false)
    return undefined
  const found = readPath(data, rule.path)
  if (rule.by === 'cursor')
    return found === undefined || found === null || found === ''
      ? undefined
      : { [rule.field]: found }
  const items: readonly unknown[] = Array.isArray(found) ? found : []
  if (items.length === 0) return undefined
  if (rule.by === 'last') {
    const id = readPath(items[items.length - 1], ['id'])
    return id === undefined ? undefined : { [rule.field]: id }
  }
  // a bigint, or a string that is a number, counts as well
  const value = Number(input[rule.field] ?? rule.start)
  const current = Number.isNaN(value) ? rule.start : value
  return { [rule.field]: current + (rule.by === 'page' ? 1 : items.length) }
}

/** The query of the link with `rel="next"` (RFC 8288). */
function readLinkedInput(
  fields: Readonly<Record<string, string>>,
  response: Response | undefined,
  input: Input,
): Input | undefined {
  const links = (response?.headers.get('link') ?? '').matchAll(/<([^>]*)>([^<]*)/g)
  const [, url = ''] =
    [...links].find(([, , rest = '']) => /;\s*rel="?(?:[^";]*\s)?next\b/i.test(rest)) ?? []
  const query = new URLSearchParams(url.split('#', 1)[0]?.split('?')[1] ?? '')
  const changes = Object.entries(fields).flatMap(([name, field]) => {
    const value = query.get(name)
    const isNumber = value !== null && /^\d{1,15}$/.test(value) && typeof input[field] !== 'string'
    return value === null || String(input[field]) === value
      ? []
      : [[field, isNumber ? Number(value) : value] as const]
  })
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

function readPath(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    data,
  )
}
