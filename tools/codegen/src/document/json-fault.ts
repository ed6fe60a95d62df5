import { type Report, show } from '../diagnostics.js'
import { cutExcerpt } from './excerpt.js'

/** Reports the first place at which a string is not JSON. Returns whether there is one. */
export function reportJsonFault(name: string, text: string, report: Report): boolean {
  const fault = findJsonFault(text)
  if (fault === undefined) return false
  const before = text.slice(0, fault.offset).split('\n')
  const place = {
    file: name,
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
    pointer: '',
    excerpt: cutExcerpt(text, fault.offset),
  }
  const [rest = ''] = text.slice(fault.offset, fault.offset + 80).split(/\r?\n/, 1)
  report('FB1002', place, rest === '' ? 'the end of the file' : show(rest), fault.expected)
  return true
}

/** Where a string stops being JSON, and what JSON has there. */
type JsonFault = { readonly offset: number; readonly expected: string }

type Token = 'string' | 'scalar' | 'end of the file' | '{' | '}' | '[' | ']' | ':' | ','

/** What may come next, in words and as tokens. */
type Expectation = { readonly words: string; readonly tokens: ReadonlySet<Token> }

function expect(words: string, ...tokens: readonly Token[]): Expectation {
  return { words, tokens: new Set(tokens) }
}

const values = ['string', 'scalar', '{', '['] as const
const value = expect('a value of JSON', ...values)
const firstItem = expect('a value of JSON or "]"', ...values, ']')
const key = expect('a key in double quotes', 'string')
const firstKey = expect('a key in double quotes or "}"', 'string', '}')
const colon = expect('":"', ':')
const afterMember = expect('"," or "}"', ',', '}')
const afterItem = expect('"," or "]"', ',', ']')
const end = expect('the end of the file', 'end of the file')

function findJsonFault(text: string): JsonFault | undefined {
  const inner: ('{' | '[')[] = []
  let expected = value
  for (let offset = skipSpace(text, 0); ;) {
    const { token, length } = readToken(text, offset)
    if (token === undefined || !expected.tokens.has(token))
      return { offset, expected: expected.words }
    if (token === 'end of the file') return undefined
    if (token === '{' || token === '[') inner.push(token)
    if (token === '}' || token === ']') inner.pop()
    const parent = inner.at(-1)
    if (token === '{') expected = firstKey
    else if (token === '[') expected = firstItem
    else if (token === ':') expected = value
    else if (token === ',') expected = parent === '{' ? key : value
    else if (expected === key || expected === firstKey)
      expected = token === '}' ? findNext(parent) : colon
    else expected = findNext(parent)
    offset = skipSpace(text, offset + length)
  }
}

function findNext(parent: '{' | '[' | undefined): Expectation {
  return parent === undefined ? end : parent === '{' ? afterMember : afterItem
}

function skipSpace(text: string, offset: number): number {
  const space = /[\t\n\r ]*/y
  space.lastIndex = offset
  space.test(text)
  return space.lastIndex
}

const stringPattern = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*"/y
const scalarPattern =
  /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}]|$)/y

function readToken(
  text: string,
  offset: number,
): { readonly token: Token | undefined; readonly length: number } {
  const mark = text.charAt(offset)
  if (mark === '') return { token: 'end of the file', length: 0 }
  if (/[{}[\]:,]/.test(mark)) return { token: mark as Token, length: 1 }
  const pattern = mark === '"' ? stringPattern : scalarPattern
  pattern.lastIndex = offset
  if (!pattern.test(text)) return { token: undefined, length: 0 }
  return { token: mark === '"' ? 'string' : 'scalar', length: pattern.lastIndex - offset }
}
