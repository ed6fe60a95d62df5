import { countTokens as reference } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { countTokens } from './count-tokens.js'

const prose =
  'Single ride 2.40, day pass 6.80. Children under six ride free with an adult!\n\n  — Möweninsel, 渡し船 ⛴\n'

describe('countTokens', () => {
  test.each([
    ['', 0],
    ['Single ride', 2],
    ['Single ride 2.40, day pass 6.80, bicycle 1.50.', 20],
  ])('counts %j', (text, tokens) => {
    expect(countTokens(text)).toBe(tokens)
  })

  test('is exact for text of many chunks', () => {
    const long = prose.repeat(3000)
    expect(countTokens(long)).toBe(reference(long))
  })

  test('counts a run of 128 characters as a whole, and a longer one in pieces', () => {
    expect(countTokens('a'.repeat(128))).toBe(16)
    expect(countTokens('a'.repeat(1280))).toBe(160)
  })

  test('never splits a character', () => {
    expect(countTokens('😀'.repeat(500))).toBe(reference('😀'.repeat(500)))
  })

  test('treats the name of a control token as plain text', () => {
    expect(countTokens('<|endoftext|>')).toBe(7)
  })

  test.each([
    ['letters', 'a'],
    ['spaces', ' '],
    ['mixed white space', ' \u2003'],
    ['punctuation', '!'],
    ['ideographs', '春眠不觉晓'],
    ['digits', '1234567'],
    // seconds, where a way whose time grows with the square would take days
  ])('counts 2 MB of %s without a break in time', (_, piece) => {
    expect(countTokens(piece.repeat(2_000_000 / piece.length))).toBeGreaterThan(1000)
  })
})
