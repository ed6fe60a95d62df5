import { inexact, WholeNumber } from './exact-json.js'
import type { Revive } from './revive.js'

/** A whole number as a bigint. Any other value stays as it is, and a validator rejects it. */
export const int64: Revive = (value) => {
  if (value instanceof WholeNumber) return BigInt(value.digits)
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}

/** Reads a header that is an integer; it is left out if it is not one. */
export function readInt64(text: string): bigint | undefined {
  return /^\s*[+-]?\d+\s*$/.test(text) ? BigInt(text.trim().replace(/^\+/, '')) : undefined
}

/** Makes numbers of the integers that are no bigints. An event has them in its data. */
export function convertWholeNumbers(revive: Revive = (value) => value): Revive {
  return (value) => {
    const found = revive(value)
    if (isInexact(found)) return replaceWholeNumbers(found)
    if (typeof found === 'object' && found !== null)
      for (const [name, item] of Object.entries(found))
        if (isInexact(item)) put(found, name, replaceWholeNumbers(item))
    return found
  }
}

function isInexact(value: unknown): boolean {
  return (
    value instanceof WholeNumber ||
    (typeof value === 'object' && value !== null && inexact.has(value))
  )
}

function replaceWholeNumbers(value: unknown): unknown {
  if (value instanceof WholeNumber) return Number(value.digits)
  const stack = [value]
  for (let next = stack.pop(); next !== undefined; next = stack.pop())
    for (const [name, item] of Object.entries(next as object)) {
      if (item instanceof WholeNumber) put(next as object, name, Number(item.digits))
      else if (typeof item === 'object' && item !== null) stack.push(item)
    }
  return value
}

/** Also a property called `__proto__`. */
function put(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}
