import type { Api, PaymentInfo } from '../ir/api.js'
import type { Json, Origin } from '../ir/schema.js'
import { nothing, type Code } from './code.js'

/**
 * An expression for exactly this value of a document, or its type. Strings are always escaped.
 */
export function literal(value: Json): Code {
  return { text: print(value, ''), imports: [] }
}

/** The name of a property in an object literal or an object type. */
export function propertyKey(name: string): Code {
  // in an object literal, `__proto__:` would set the prototype; a computed name is a property
  if (name === '__proto__') return { text: '["__proto__"]', imports: [] }
  return { text: /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name), imports: [] }
}

/**
 * A property of an object literal with arbitrary names. For a method of every object, such as
 * `toString`, TypeScript would expect the method and widen strings in the value.
 */
export function property(name: string, value: Json): Code {
  return { text: printProperty(name, value, ''), imports: [] }
}

/** A value as an expression, with properties of any names. */
export function printData(value: Json): Code {
  return { text: print(value, '', printProperty), imports: [] }
}

const methodsOfObjects = new Set(Object.getOwnPropertyNames(Object.prototype))

function printProperty(name: string, value: Json, indent: string): string {
  const widens =
    methodsOfObjects.has(name) &&
    (typeof value === 'string' || (typeof value === 'object' && value !== null))
  return `${propertyKey(name).text}: ${print(value, indent, printProperty)}${widens ? ' as const' : ''}`
}

function printPlain(name: string, value: Json, indent: string): string {
  return `${propertyKey(name).text}: ${print(value, indent)}`
}

/** A doc comment. Empty without lines. The text cannot end the comment. */
export function docComment(lines: readonly (string | undefined)[], indent = ''): Code {
  let text = ''
  for (const line of lines) if (line !== undefined) text += text === '' ? line : `\n${line}`
  text = text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('*/', '*\\/')
    .trim()
  if (text === '') return nothing
  if (!text.includes('\n')) return { text: `${indent}/** ${text} */\n`, imports: [] }
  const rows = text.split('\n').map((line) => line.trimEnd())
  const all = ['/**', ...rows.map((row) => (row === '' ? ' *' : ` * ${row}`)), ' */']
  return { text: `${indent}${all.join(`\n${indent}`)}\n`, imports: [] }
}

function print(value: Json, indent: string, entry = printPlain): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (value === null || typeof value === 'boolean') return String(value)
  const deeper = `${indent}  `
  if (isList(value)) {
    const items = value.map((item) => print(item, deeper, entry))
    return fitsLine(items, indent)
      ? `[${items.join(', ')}]`
      : `[\n${wrapItems(items, deeper)}\n${indent}]`
  }
  const entries = Object.entries(value).map(([key, item]) => entry(key, item, deeper))
  if (entries.length === 0) return '{}'
  return fitsLine(entries, indent)
    ? `{ ${entries.join(', ')} }`
    : `{\n${entries.map((entry) => `${deeper}${entry},`).join('\n')}\n${indent}}`
}

const width = 120

function fitsLine(items: readonly string[], indent: string): boolean {
  return (
    items.every((item) => !item.includes('\n')) &&
    indent.length + items.reduce((sum, item) => sum + item.length + 2, 4) <= width
  )
}

/** Short items share lines, so that an array of a hundred names is not a hundred lines. */
function wrapItems(items: readonly string[], indent: string): string {
  const lines: string[] = []
  let line = indent
  for (const item of items) {
    if (item.includes('\n') || (line !== indent && line.length + item.length + 2 > width)) {
      if (line !== indent) lines.push(line.trimEnd())
      line = indent
    }
    line += `${item}, `
    if (item.includes('\n')) {
      lines.push(line.trimEnd())
      line = indent
    }
  }
  if (line !== indent) lines.push(line.trimEnd())
  return lines.join('\n')
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** JSON quoting, in single quotes if possible. Line separators and surrogates are escaped. */
function quote(text: string): string {
  if (plain.test(text)) return `'${text}'`
  const json = JSON.stringify(text).replace(
    /[\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )
  return /^[^'"\\]*$/.test(text) && json === `"${text}"` ? `'${text}'` : json
}

/** Printable ASCII without quotes and backslashes, as most strings are. */
const plain = /^[ !#-&(-[\]-~]*$/

/**
 * The line of a comment that names the source file. Undefined for the entry file, which the banner
 * names: TypeScript parses each comment with this tag, which would take a tenth of its time.
 */
export function describeOrigin({ source }: Api, { file }: Origin): string | undefined {
  return file === source ? undefined : `@see ${file}`
}

/** The sentence of a doc comment. */
export function describePayment({ maxUsd, minUsd, protocols }: PaymentInfo): string {
  const by = protocols.length === 0 ? '' : ` (${protocols.join(', ')})`
  if (maxUsd === undefined)
    return minUsd === undefined
      ? `Can be paid per call${by}: the response 402 states the price.`
      : `Costs at least ${minUsd} USD${by}: the response 402 states the price.`
  return `Costs ${minUsd === undefined ? '' : `${minUsd} to `}${maxUsd} USD${by}.`
}
