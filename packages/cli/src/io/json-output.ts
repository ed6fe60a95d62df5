import { UsageError } from '../errors.js'
import { print, type Terminal } from './terminal.js'

/** Writes one result. A list is written item by item where lines or a part are asked for. */
export async function printJson(terminal: Terminal, value: unknown): Promise<void> {
  const { lines, path } = terminal.json
  if (path.length > 0) {
    for (const part of selectParts(value, path, path)) await print(terminal, `${toRawText(part)}\n`)
  } else if (lines) {
    for (const item of Array.isArray(value) ? value : [value])
      await print(terminal, `${JSON.stringify(item)}\n`)
  } else await print(terminal, `${JSON.stringify(value, null, 2)}\n`)
}

/** Writes a list of results while it arrives: an array, or a line for each item. */
export async function printJsonItems(
  terminal: Terminal,
  items: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<void> {
  const { lines, path } = terminal.json
  if (lines || path.length > 0) {
    for await (const item of items) await printJson(terminal, item)
    return
  }
  let count = 0
  for await (const item of items)
    await print(terminal, `${count++ === 0 ? '[\n' : ',\n'}  ${JSON.stringify(item)}`)
  await print(terminal, count === 0 ? '[]\n' : '\n]\n')
}

/** Follows the path. A list on the way selects all of its items, unless an index picks one. */
function selectParts(
  value: unknown,
  path: readonly string[],
  whole: readonly string[],
): readonly unknown[] {
  const [name, ...rest] = path
  if (Array.isArray(value)) {
    if (name !== undefined && /^\d+$/.test(name))
      return selectParts(value[Number(name)], rest, whole)
    return value.flatMap((item) => selectParts(item, path, whole))
  }
  if (name === undefined) return [value]
  if (typeof value !== 'object' || value === null) return [null]
  if (Object.hasOwn(value, name))
    return selectParts((value as Readonly<Record<string, unknown>>)[name], rest, whole)
  const names = Object.keys(value)
  // an optional member may be absent from one item of a list
  if (path !== whole) return [null]
  throw new UsageError(
    `--select: found ${JSON.stringify(whole.join('.'))}, expected to begin with one of ${names.join(', ')}.`,
  )
}

/** A text as it is, for a shell; anything else as JSON. */
function toRawText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}
