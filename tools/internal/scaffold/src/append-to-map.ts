import { isMap, isNode, isScalar, parseDocument } from 'yaml'
import { ScaffoldError } from './addition.js'

/**
 * Adds an entry with a nested line to a block map of a YAML text, after its last entry. Every other
 * character stays as it is. `at` leads from the root to the map.
 */
export function appendToMap(
  text: string,
  at: readonly string[],
  key: string,
  line: string,
): string {
  const map = parseDocument(text).getIn(at)
  const last = isMap(map) ? map.items.at(-1) : undefined
  if (!isMap(map) || last === undefined)
    throw new ScaffoldError(`${at.join('.')} is no map with entries; expected one.`)
  if (map.has(key))
    throw new ScaffoldError(`${at.join('.')} has ${key} already; choose another name.`)
  const start = isScalar(last.key) ? last.key.range?.[0] : undefined
  const end = isNode(last.value) ? last.value.range?.[1] : undefined
  if (start === undefined || end === undefined)
    throw new ScaffoldError(
      `${at.join('.')} is written in a form that cannot be extended; expected a block map.`,
    )
  const indentation = ' '.repeat(start - text.lastIndexOf('\n', start) - 1)
  const before = text.slice(0, end).replace(/\s+$/, '')
  const rest = text.slice(before.length).replace(/^\n/, '')
  return `${before}\n${indentation}${key}:\n${indentation}  ${line}\n${rest}`
}
