import { isList, isObject, own } from './json.js'
import type { Json } from './json.js'

/** What the document says of a node in words, as a comment above its member, or nothing. */
export function commentOf(node: Json | undefined, pad: string): string {
  if (!isObject(node)) return ''
  const lines = linesOf(node)
  const [only] = lines
  if (only === undefined) return ''
  if (lines.length === 1 && !only.includes('\n')) return `${pad}/** ${closed(only)} */\n`
  const text = closed(lines.join('\n')).replaceAll(/[^\S\n]*\n/g, `\n${pad} * `)
  return `${pad}/**\n${pad} * ${text.replaceAll(/ +$/gm, '')}\n${pad} */\n`
}

function linesOf(node: Json): readonly string[] {
  const lines: string[] = []
  const title = own(node, 'title')
  const summary = own(node, 'summary')
  const format = own(node, 'format')
  if (typeof title === 'string' && title !== '') lines.push(hanging(title))
  if (typeof summary === 'string' && summary !== '') lines.push(hanging(summary))
  if (typeof format === 'string' && format !== '') lines.push(`Format: ${hanging(format)}`)
  if (own(node, 'deprecated') === true) lines.push('@deprecated')
  const description = own(node, 'description')
  if (description !== undefined && description !== '') lines.push(`@description ${written(description)}`)
  const examples = own(node, 'examples')
  const fallback = own(node, 'default')
  const example = own(node, 'example')
  if (fallback !== undefined) lines.push(`@default ${written(fallback)}`)
  if (example !== undefined) lines.push(`@example ${written(example)}`)
  if (isList(examples)) for (const one of examples) lines.push(`@example ${written(one)}`)
  if (own(node, 'const') !== undefined) lines.push('@constant')
  if (isList(own(node, 'enum'))) lines.push(`@enum {${typeOf(node)}}`)
  return lines
}

function typeOf(node: Json): string {
  const type = own(node, 'type')
  const name = isList(type) ? type.filter((one) => typeof one === 'string').join('|') : typeof type === 'string' ? type : 'unknown'
  const values = own(node, 'enum')
  return `${name}${own(node, 'nullable') === true && isList(values) && values.includes(null) ? '|null' : ''}`
}

function written(value: Json): string {
  return hanging(typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value))
}

function hanging(text: string): string {
  return text.trim().replaceAll(/\r?\n/g, '\n    ')
}

/** Text cannot end the comment that it stands in. */
function closed(text: string): string {
  return text.replaceAll('*/', '*\\/')
}
