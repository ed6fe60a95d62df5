import { isRecord } from '@farebox/middleware'

/**
 * The names of a type's fields, each with the names within it or with `true`. The compiler refuses
 * a list that lacks a name or has another.
 */
export type Names<Options> = { readonly [Name in keyof Options]-?: true | Readonly<Record<string, unknown>> }

/**
 * A complaint about the first unknown option, with the nearest known name. Undefined if all are
 * known. An option that is `undefined` counts as left out.
 */
export function unknownOption(options: object, names: Readonly<Record<string, unknown>>, where: string): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (!Object.hasOwn(names, name)) return complaint(name, Object.keys(names), where)
    const within = names[name]
    const wrong = isRecord(within) && isRecord(value) ? unknownOption(value, within, `${where}: ${name}`) : undefined
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function complaint(wrong: string, known: readonly string[], where: string): string {
  const near = known.find((name) => isNear(wrong.toLowerCase(), name.toLowerCase()))
  return `${where} has no option "${wrong}". ${near === undefined ? `It has ${known.join(', ')}.` : `Did you mean "${near}"?`}`
}

/** One name begins with the other, or at most two letters differ. */
function isNear(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one) || distance(one, other) <= 2
}

/** How many letters to add, drop or replace (Levenshtein), row by row. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1]
    for (let column = 0; column < other.length; column++) {
      const replaced = (row[column] ?? 0) + (one[index] === other[column] ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
