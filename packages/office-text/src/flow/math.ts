import type { WarningCounter } from '../findings.js'
import { isOn, readValue } from '../package/xml.js'
import { mapSymbol } from './run-text.js'

type Attributes = Readonly<Record<string, string>>

/** An element of an equation with its properties and the text of its parts so far. */
type Term = {
  readonly name: string
  readonly values: Map<string, string>
  readonly parts: { readonly name: string; text: string }[]
}

/** Elements with a display of their own (ECMA-376 part 1, 22.1.2). */
const terms: ReadonlySet<string> = new Set(
  'acc bar box borderBox d eqArr f func groupChr limLow limUpp m nary phant rad sPre sSub sSubSup sSup'.split(
    ' ',
  ),
)
/** Elements whose content is not displayed: properties, deleted and moved content. */
const unseen: ReadonlySet<string> = new Set(['rPr', 'ctrlPr', 'delText', 'del', 'moveFrom'])
/** The elements within them that contain text. Their names alone are ambiguous. */
const slots: ReadonlySet<string> = new Set(['e', 'num', 'den', 'sub', 'sup', 'deg', 'lim', 'fName'])

/** Writes an equation as one line, so that 1/2 is not 12 and 10^6 is not 106. */
export type MathWriter = {
  open(name: string, attributes: Attributes): void
  close(name: string): void
  text(text: string): void
  result(): string
}

export function createMathWriter(warnings: WarningCounter): MathWriter {
  const root: Term = { name: 'oMath', values: new Map(), parts: [{ name: 'e', text: '' }] }
  const stack: Term[] = [root]
  let skipped = 0
  let inText = false
  let isHidden = false
  const top = (): Term => stack.at(-1) ?? root
  const add = (text: string): void => {
    const parts = top().parts
    const part = parts.at(-1)
    if (part === undefined) parts.push({ name: 'e', text })
    else part.text += text
  }
  /** An element beside a number: `1 1/2` is not `11/2`, and `x^2 3` is not `x^23`. */
  const addTerm = (text: string): void => {
    const before = top().parts.at(-1)?.text ?? ''
    add(/\d$/.test(before) && /^[\d_^]/.test(text) ? ` ${text}` : text)
    isAfterTerm = true
  }
  const addText = (text: string): void => {
    const before = top().parts.at(-1)?.text ?? ''
    add(isAfterTerm && /\d$/.test(before) && /^\d/.test(text) ? ` ${text}` : text)
    isAfterTerm = false
  }
  let isAfterTerm = false

  return {
    open(name, attributes) {
      if (name === 'vanish') isHidden = isOn(readValue(attributes))
      if (skipped > 0 || unseen.has(name)) skipped += 1
      else if (name === 'r') isHidden = false
      else if (name === 't') inText = true
      else if (name === 'sym') addText(readSymbol(attributes))
      else if (name === 'blip' || name === 'imagedata') warnings.add('images_without_text')
      else if (terms.has(name)) stack.push({ name, values: new Map(), parts: [] })
      else if (slots.has(name)) top().parts.push({ name, text: '' })
      else if (name === 'mr') top().parts.push({ name, text: '' })
      else if (name === 'br') add(' ')
      else {
        const value = readValue(attributes)
        if (value !== undefined) top().values.set(name, value)
      }
    },
    close(name) {
      if (skipped > 0) skipped -= 1
      else if (name === 't') inText = false
      else if (terms.has(name) && stack.length > 1) {
        const term = stack.pop()
        if (term !== undefined) addTerm(write(term))
      }
    },
    text(text) {
      if (!inText || skipped > 0) return
      if (isHidden) warnings.add('hidden_text')
      else addText(text)
    },
    result: () => root.parts.map((part) => part.text).join(''),
  }
}

function write({ name, values, parts }: Term): string {
  const of = (slot: string): string =>
    parts
      .filter((part) => part.name === slot)
      .map((part) => part.text)
      .join('')
  const base = of('e')
  const script = (mark: string, text: string): string => (text === '' ? '' : mark + group(text))
  switch (name) {
    case 'f':
      return values.get('type') === 'noBar'
        ? `(${of('num')}¦${of('den')})`
        : `${group(of('num'))}/${group(of('den'))}`
    case 'sSup':
    case 'sSub':
    case 'sSubSup':
      return group(base) + script('_', of('sub')) + script('^', of('sup'))
    case 'sPre':
      return script('_', of('sub')) + script('^', of('sup')) + base
    case 'nary':
      return `${values.get('chr') ?? '∫'}${script('_', of('sub'))}${script('^', of('sup'))} ${base}`
    case 'rad':
      return `${of('deg')}√${group(base)}`
    case 'limLow':
      return base + script('_', of('lim'))
    case 'limUpp':
      return base + script('^', of('lim'))
    case 'func':
      return `${of('fName')} ${base}`
    case 'd':
      return (
        (values.get('begChr') ?? '(') +
        parts.map((part) => part.text).join(values.get('sepChr') ?? '|') +
        (values.get('endChr') ?? ')')
      )
    case 'phant':
      return values.has('show') && !isOn(values.get('show')) ? '' : base
    case 'm':
      return `[${writeRows(parts)}]`
    case 'eqArr':
      return parts.map((part) => part.text.replaceAll('&', '')).join('; ')
    case 'acc':
      return base + (values.get('chr') ?? '\u0302')
    default:
      return base
  }
}

function writeRows(parts: Term['parts']): string {
  const rows: string[][] = []
  for (const part of parts) {
    if (part.name === 'mr') rows.push([])
    else rows.at(-1)?.push(part.text)
  }
  return rows.map((row) => row.join(' ')).join('; ')
}

/** In parentheses if it is more than one number, name or group. */
export function group(text: string): string {
  const trimmed = text.trim()
  if (/^(?:[\p{L}\p{M}\p{N}.,]*|\([^()]*\)|\[[^[\]]*\]|.)$/u.test(trimmed)) return trimmed
  return `(${trimmed})`
}

function readSymbol(attributes: Attributes): string {
  const code = parseInt(readValue(attributes, 'char') ?? '', 16)
  if (!(code > 0 && code <= 0x10ffff)) return ''
  return mapSymbol(readValue(attributes, 'font') ?? '', code) ?? String.fromCodePoint(code)
}
