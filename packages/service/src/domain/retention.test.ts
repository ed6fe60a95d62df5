import { expect, it } from 'vitest'
import { readRetention } from './retention.js'

const hour = 3_600_000

it('keeps data as long as the contract promises, even without a setting', () => {
  expect(readRetention()).toEqual({ responses: 24 * hour, videos: 24 * hour, keys: 7 * 24 * hour })
  expect(readRetention({ videos: 48 * hour, limitLogs: 24 * hour })).toMatchObject({
    videos: 48 * hour,
    limitLogs: 24 * hour,
  })
})

it.each([
  [{ videos: 23 * hour }, 'keep.videos: found 23 hours, expected 24 hours to 3650 days'],
  [{ limitLogs: 0 }, 'keep.limitLogs: found 0 hours'],
  [{ keys: Infinity }, 'keep.keys: found Infinity hours'],
  [
    { responses: 200 * hour },
    'keep.keys: found 168 hours, expected at least the 200 hours of responses',
  ],
])('rejects %j', (given, message) => {
  expect(() => readRetention(given)).toThrow(message)
})
