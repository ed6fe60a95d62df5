import { describe, expect, it } from 'vitest'
import { createJsonScan } from './json-scan.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const look = (text: string) => createJsonScan().write(bytes(text))

describe('a JSON text', () => {
  it('may be 64 levels deep', () => {
    expect([look('['.repeat(64) + ']'.repeat(64)), look('['.repeat(65))]).toEqual([
      undefined,
      'nested too deep',
    ])
    expect([look('{"a":'.repeat(64)), look('{"a":'.repeat(65))]).toEqual([
      undefined,
      'nested too deep',
    ])
  })

  it('may have 10,000 values', () => {
    const list = (length: number) => `[${Array.from({ length }, () => '1').join()}]`
    expect([look(list(9_999)), look(list(10_000))]).toEqual([undefined, 'made of too many values'])
    expect([look(`[${'{},'.repeat(4_900)}1]`), look(`[${'{},'.repeat(5_000)}1]`)]).toEqual([
      undefined,
      'made of too many values',
    ])
  })

  it('may have what it likes in its texts', () => {
    const text = `${'[{,'.repeat(20_000)}"\\ \ud83d\ude00`
    expect(look(JSON.stringify({ text, [text]: [] }))).toBeUndefined()
  })

  it('is looked at in pieces as it is in one', () => {
    const text = bytes(JSON.stringify({ 'a\\"[é': ['\\\\', '"]{', '\ud83d\ude00'] }).slice(0, -1))
    for (let at = 0; at <= text.length; at++) {
      const scan = createJsonScan()
      expect(scan.write(text.subarray(0, at))).toBeUndefined()
      expect(scan.write(text.subarray(at))).toBeUndefined()
      expect(scan.write(bytes('['.repeat(63)))).toBeUndefined()
      expect(scan.write(bytes('['))).toBe('nested too deep')
    }
  })

  it('that is no JSON does no harm', () => {
    for (const text of [']'.repeat(100_000), '}{'.repeat(100), '"', '\\', '"\\', ''])
      expect(look(text)).toBeUndefined()
  })
})
