import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../platform/time.js'
import { createSolanaBlockhash } from './solana.js'

const hash = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const createBlockhashResponse = () =>
  Response.json({
    jsonrpc: '2.0',
    id: 1,
    result: { context: { slot: 1 }, value: { blockhash: hash, lastValidBlockHeight: 2 } },
  })

function play(response: () => Promise<Response> | Response) {
  const clock = { time: 1_000_000 }
  const asked: unknown[] = []
  const troubles: string[] = []
  const waits: number[] = []
  const state = { answer: response }
  const blockhash = createSolanaBlockhash({
    url: 'https://node.example/?api-key=s3cret',
    fetch: async (url, init) => {
      asked.push([url, init?.method, init?.redirect, JSON.parse(init?.body as string)])
      return state.answer()
    },
    timeout: (milliseconds) => (waits.push(milliseconds), new AbortController().signal),
    now: () => clock.time,
    onTrouble: ({ message }) => troubles.push(message),
  })
  return { clock, asked, troubles, waits, state, blockhash }
}

describe('createSolanaBlockhash', () => {
  it('asks the node once every five seconds, however many callers there are', async () => {
    const { blockhash, asked, clock } = play(createBlockhashResponse)
    expect(await Promise.all([blockhash(), blockhash()])).toEqual([hash, hash])
    clock.time += 4999
    expect(await blockhash()).toBe(hash)
    expect(asked).toEqual([
      [
        'https://node.example/?api-key=s3cret',
        'POST',
        'manual',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'getLatestBlockhash',
          params: [{ commitment: 'confirmed' }],
        },
      ],
    ])
    clock.time += 1
    await blockhash()
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['rejects', () => Response.json({ error: { code: 429, message: 's3cret' } }, { status: 429 })],
    ['gives no hash', () => Response.json({ result: { value: { blockhash: 'not base58!' } } })],
    ['gives no JSON', () => new Response('<html>')],
    ['gives null', () => Response.json(null)],
    ['is not there', () => Promise.reject(new TypeError('fetch failed'))],
    ['does not respond in time', () => Promise.reject(new DOMException('', 'TimeoutError'))],
  ])('returns none for a node that %s, logs that once, and retries', async (_what, response) => {
    const { blockhash, troubles, clock, state, waits, asked } = play(response)
    for (let round = 0; round < 3; round++) {
      expect(await blockhash()).toBeUndefined()
      clock.time += 5000
    }
    expect([asked.length, waits, troubles]).toEqual([
      3,
      Array(3).fill(timeLimit(2000)),
      ['Solana RPC: getLatestBlockhash gave no hash; offers go out without one'],
    ])
    state.answer = createBlockhashResponse
    expect(await blockhash()).toBe(hash)
    clock.time += 5000
    state.answer = response
    await blockhash()
    expect(troubles).toHaveLength(2)
  })
})
