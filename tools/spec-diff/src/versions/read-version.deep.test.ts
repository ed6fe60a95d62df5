import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { edits, type Node } from '../../test/edits.js'
import { base, compareBoth, editBase, write } from '../../test/read-both.js'

describe('a version next to a known one', () => {
  it.each(Object.entries(edits))('has the same changes when %s', async (_, edit) => {
    const [older, newer] = [write(parse(base) as Node), editBase(edit)]
    for (const [one, other] of [
      [older, newer],
      [newer, older],
    ] as const) {
      const [apart, together] = await compareBoth(one, other)
      expect(together).toBe(apart)
    }
  })
})
