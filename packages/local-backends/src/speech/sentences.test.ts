import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitSentences } from './sentences.js'

const sumOf = (text: string) =>
  splitSentences(text).reduce((sum, { characters }) => sum + characters, 0)

it('stand for every character of the text, and are never many at once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 800 }), (text) => {
      expect(sumOf(text)).toBe(Array.from(text).length)
      for (const sentence of splitSentences(text))
        expect(sentence.text.length).toBeLessThanOrEqual(240)
    }),
  )
})

it('count the spaces and signs between them', () => {
  expect(splitSentences('One. Two!\n…\nThree?')).toEqual([
    { text: 'One.', characters: 5 },
    { text: 'Two!', characters: 7 },
    { text: 'Three?', characters: 6 },
  ])
})

it('are silence when nothing can be spoken', () => {
  expect(splitSentences('🚋 …')).toEqual([{ text: '', characters: 3 }])
})

it('cut a long sentence into parts that share its characters', () => {
  const parts = splitSentences('tram '.repeat(100))
  expect(parts.map(({ text }) => text.length)).toEqual([239, 239, 19])
  expect(sumOf('tram '.repeat(100))).toBe(500)
})
