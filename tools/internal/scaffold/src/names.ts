import { ScaffoldError } from './addition.js'

/** A camelCase name: verb and object for an operation (`getStatus`), else any (`msw`). */
export function requireCamelCase(name: string): string {
  if (/^[a-z][a-z0-9]*([A-Z][a-z0-9]*)*$/.test(name)) return name
  throw new ScaffoldError(
    `The name is ${JSON.stringify(name)}; expected camelCase, as in getStatus.`,
  )
}

/** `getStatus` → `get-status`. */
export function toKebab(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** `getStatus` → `GetStatus`. */
export function toPascal(camel: string): string {
  return camel.slice(0, 1).toUpperCase() + camel.slice(1)
}

/** `getStatus` → `Get status`. */
export function toSentence(camel: string): string {
  const words = toKebab(camel).replaceAll('-', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
