import fc from 'fast-check'
import { countRounds } from '@farebox/testing/rounds'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createUpstreams } from '../app/create-upstreams.js'
import { countTokens } from '../domain/text/count-tokens.js'
import { origin, startService, type Harness } from '../../test/harness.js'

/** What the upstream does: it gives pieces, of each choice in turn, and then an end. */
type Script = {
  readonly n: number
  readonly pieces: readonly string[]
  readonly end: 'complete' | 'refusal' | 'cut' | 'error'
  readonly usage: { readonly prompt: number; readonly completion: number } | undefined
}

const model = 'mistral-31-24b'
/** Micro-USD for a million tokens. */
const [input, output] = [500_000n, 2_000_000n]
const promptText = 'How much is a ticket?'
const prompt = 3 + 4 + countTokens(promptText)

let script: Script
/** Called when the service asks for the piece with this index: it has read those before. */
let onPull: (index: number) => Promise<void>
let isCancelled = false
let harness: Harness

/** An upstream without a socket, so that it knows what the service has read. */
const upstream = async (_url: unknown, { signal }: { signal?: AbortSignal } = {}) => {
  const { n, pieces, end, usage } = script
  const chunk = (value: object) =>
    new TextEncoder().encode(`data: ${JSON.stringify({ choices: [], ...value })}\n\n`)
  const choice = (delta: object, finish_reason: string | null, index: number) =>
    chunk({ choices: [{ index, delta, finish_reason }] })
  const indices = Array.from({ length: n }, (_, index) => index)
  const events = pieces.map((content, place) => choice({ content }, null, place % n))
  if (end === 'refusal') events.push(...indices.map((at) => choice({ refusal: 'No.' }, null, at)))
  if (end === 'complete' || end === 'refusal')
    events.push(...indices.map((at) => choice({}, 'stop', at)))
  if (usage)
    events.push(
      chunk({ usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion } }),
    )
  if (end === 'error') events.push(chunk({ error: { message: 'overloaded' } }))
  let at = 0
  const body = new ReadableStream(
    {
      start: (controller) =>
        signal?.addEventListener('abort', () => {
          isCancelled = true
          controller.error(new Error('aborted'))
        }),
      pull: async (controller) => {
        await onPull(at)
        if (signal?.aborted === true) return
        const event = events[at++]
        if (event) controller.enqueue(event)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

beforeAll(async () => {
  const upstreams = createUpstreams(
    [
      {
        name: 'one',
        capability: 'chat',
        url: 'http://127.0.0.1:9',
        retries: 0,
        breaker: { failures: 1e6 },
      },
    ],
    { fetch: upstream as typeof fetch },
  )
  harness = await startService({ upstreams })
})
afterAll(() => harness.service.close())

const openHolds = () =>
  harness.database
    .query<{ n: bigint }>(`select count(*) as n from hold where state = 'held'`)
    .then(([row]) => Number(row?.n))

/** The price by other means: fractions of a micro-USD as a rational number. */
function computePrice(promptTokens: number, completionTokens: number): bigint {
  const [whole, rest] = [
    BigInt(promptTokens) * input + BigInt(completionTokens) * output,
    1_000_000n,
  ]
  return whole / rest + (whole % rest > 0n ? 1n : 0n)
}

/** Tokens of the pieces, which the choices have in turn. */
function countPieces(pieces: readonly string[], n: number): number {
  return Array.from({ length: n }, (_, index) =>
    pieces.filter((_piece, place) => place % n === index).join(''),
  ).reduce((sum, text) => sum + (text === '' ? 0 : countTokens(text)), 0)
}

const words = fc.constantFrom('ticket ', 'fare', ' 12.50 ', 'für ', '線路', '\n', 'zone-')
const drawn = fc.record({
  n: fc.integer({ min: 1, max: 3 }),
  pieces: fc.array(words, { minLength: 1, maxLength: 12 }),
  end: fc.constantFrom(...(['complete', 'complete', 'refusal', 'cut', 'error'] as const)),
  usage: fc.option(
    fc.record({
      prompt: fc.integer({ min: 1, max: 60 }),
      completion: fc.integer({ min: 0, max: 400 }),
    }),
    { nil: undefined },
  ),
  stream: fc.boolean(),
  /** Pieces that were read before the client leaves. */
  leavesAfter: fc.option(fc.nat(11), { nil: undefined }),
  maxTokens: fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
})

it('charges a chat as a reference model does, whatever the upstream does and whenever the client disconnects, and never more than was held', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ stream, leavesAfter, maxTokens, ...given }) => {
      harness.clock.time += 120_000
      script = given
      isCancelled = false
      const { n, pieces, end, usage } = given
      const leaving = leavesAfter !== undefined && leavesAfter < pieces.length
      const wallet = await harness.richWallet(1)
      const client = new AbortController()
      let held = 0n
      onPull = async (index) => {
        if (index === 0)
          held = await harness.database
            .query<{ sum: bigint }>(`select sum(usd)::bigint as sum from hold where state = 'held'`)
            .then(([row]) => row?.sum ?? 0n)
        if (leaving && index === leavesAfter) client.abort()
      }
      const request = new Request(`${origin}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(await harness.signIn(wallet)) },
        body: JSON.stringify({
          model,
          messages: [{ role: 'user', content: promptText }],
          n,
          stream,
          ...(maxTokens !== undefined && { max_tokens: maxTokens }),
        }),
        signal: client.signal,
      })
      const response = await harness.service.fetch(request)
      const text = await response.text().catch(() => '')
      await expect.poll(openHolds).toBe(0)
      const paid = 1_000_000n - (await harness.ledger.balance(wallet.address))

      const isComplete = end === 'complete' || end === 'refusal'
      const generated = leaving ? pieces.slice(0, leavesAfter) : pieces
      const owed = () => {
        if (leaving) {
          const tokens = countPieces(generated, n)
          return tokens === 0 ? 0n : computePrice(prompt, tokens)
        }
        const used = n <= pieces.length ? n : pieces.length
        // a choice without any piece has no content
        if (!isComplete || end === 'refusal' || used === 0) return 0n
        return usage
          ? computePrice(usage.prompt, usage.completion)
          : computePrice(prompt, countPieces(pieces, n))
      }
      expect(held).toBeGreaterThan(0n)
      expect(paid).toBe(owed() < held ? owed() : held)
      if (leaving) expect(isCancelled).toBe(true)
      else if (stream && isComplete) expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
      else if (!isComplete) expect(text).not.toContain('[DONE]')
      expect(harness.crashes).toEqual([])
    }),
    { numRuns: countRounds(120) },
  )
  expect(await harness.ledger.audit()).toEqual([])
})
