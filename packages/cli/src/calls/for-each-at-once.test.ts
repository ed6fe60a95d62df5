import { describe, expect, it } from 'vitest'
import { forEachAtOnce } from './for-each-at-once.js'

const never = new AbortController().signal

describe('forEachAtOnce', () => {
  it('runs no more than the limit concurrently, and skips none', async () => {
    const done: number[] = []
    let [now, most] = [0, 0]
    await forEachAtOnce([1, 2, 3, 4, 5], 2, never, async (item) => {
      most = Math.max(most, ++now)
      await Promise.resolve()
      now--
      done.push(item)
    })
    expect({ done, most }).toEqual({ done: [1, 2, 3, 4, 5], most: 2 })
  })

  it('starts nothing after a failure or an abort', async () => {
    const begun: number[] = []
    const fails = forEachAtOnce([1, 2, 3, 4], 1, never, async (item) => {
      begun.push(item)
      if (item === 2) throw new Error('no')
    })
    await expect(fails).rejects.toThrow('no')
    expect(begun).toEqual([1, 2])
    const abort = new AbortController()
    const seen: number[] = []
    await forEachAtOnce([1, 2, 3], 1, abort.signal, async (item) => {
      seen.push(item)
      abort.abort()
    })
    expect(seen).toEqual([1])
  })
})
