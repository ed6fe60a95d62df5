import { createRequire } from 'node:module'
import type * as O200k from 'gpt-tokenizer/encoding/o200k_base'
import { lazy } from '../../platform/lazy.js'

/** It takes 67 MB, so the first count loads it: upstreams report the tokens of chats. */
const encoding = lazy(
  () => createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as typeof O200k,
)

const chunkCharacters = 64 * 1024
const longestRun = 128

/**
 * Counts the tokens of a text in the o200k_base encoding, in linear time. The encoder needs
 * quadratic time for an unbroken run, so runs of more than 128 characters, without a change between
 * white space and other characters, are counted in pieces: at most one token too many for each 128
 * characters. The count of any other text is exact. Names of control tokens count as plain text.
 */
export function countTokens(text: string): number {
  const { countTokens: count } = encoding.get()
  let tokens = 0
  for (const part of splitRuns(text)) tokens += count(part, plain)
  return tokens
}

/** The tokens that `countTokens` counts. */
export function encodeTokens(text: string): readonly number[] {
  const { encode } = encoding.get()
  return Array.from(splitRuns(text), (part) => encode(part, plain)).flat()
}

/** The text of tokens. */
export function decodeTokens(tokens: readonly number[]): string {
  return encoding.get().decode(tokens)
}

/** The parts of a text that are encoded at once. */
function* splitRuns(text: string): Generator<string> {
  let start = 0
  let run = 0
  let inSpace = false
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    const space = isSpace(code)
    run = space === inSpace ? run + 1 : 1
    inSpace = space
    if (
      (run > longestRun && !isLowSurrogate(code)) ||
      (i - start >= chunkCharacters && code === 32 && isBetweenLetters(text, i))
    ) {
      yield text.slice(start, i)
      start = i
      run = 1
    }
  }
  yield text.slice(start)
}

const plain = { disallowedSpecial: new Set<string>() }

/** The encoding itself separates words at a space between two letters. */
function isBetweenLetters(text: string, i: number): boolean {
  return /^[a-z] [a-z]$/i.test(text.slice(i - 1, i + 2))
}

/** Like `\s` in regular expressions. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0xa0) return false
  return (
    code === 0xa0 || code === 0x1680 || (code >= 0x2000 && code <= 0x200a) || wideSpaces.has(code)
  )
}

const wideSpaces = new Set([0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff])

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
