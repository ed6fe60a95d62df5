import { describe, expect, it } from 'vitest'
import {
  readFetchFailure,
  readStatedFault,
  readUpstreamFault,
  toUpstreamFailure,
} from './upstream-failure.js'

const readReason = async (body: BodyInit | null, apiKey?: string) => {
  const fault = await readUpstreamFault(new Response(body, { status: 400 }), apiKey)
  return fault?.kind === 'rejected' ? fault.reason : fault
}

describe('an upstream response', () => {
  it('is not a failure when it succeeds', async () =>
    expect(await readUpstreamFault(new Response('audio'))).toBeUndefined())

  it.each([
    [400, 'rejected'],
    [413, 'rejected'],
    [422, 'rejected'],
    [408, 'busy'],
    [429, 'busy'],
    [500, 'busy'],
    [503, 'busy'],
    [529, 'busy'],
    [401, 'failed'],
    [402, 'failed'],
    [403, 'failed'],
    [404, 'failed'],
    [405, 'failed'],
    [302, 'failed'],
  ])('of %d is %s', async (status, kind) =>
    expect(await readUpstreamFault(new Response('{}', { status }))).toMatchObject({ kind, status }),
  )

  it.each([
    {
      error: {
        code: 403,
        message: 'Your input was flagged for "violence".',
        metadata: { reasons: ['violence'], flagged_input: 'kill' },
      },
    },
    {
      error: {
        code: 'content_policy_violation',
        message: 'Your input was flagged for "violence".',
      },
    },
    { code: 'The caller has no permission', error: 'Your input was flagged for "violence".' },
  ])('of 403 is a rejection where it is one of moderation: %j', async (body) => {
    expect(await readUpstreamFault(Response.json(body, { status: 403 }))).toEqual({
      kind: 'rejected',
      status: 403,
      reason: 'Your input was flagged for "violence".',
    })
    expect(readStatedFault({ ...body, code: 403 })).toMatchObject({ kind: 'rejected' })
  })

  it.each([
    'The key has no access to models.',
    'Your account has been flagged.',
    'Your API key was flagged for suspicious activity.',
    'Your organization has been disabled after violations of our content policy.',
  ])('of 403 for a key or an account is a failure: %s', async (message) => {
    const error = { code: 'insufficient_permissions', message }
    expect(await readUpstreamFault(Response.json({ error }, { status: 403 }))).toEqual({
      kind: 'failed',
      status: 403,
    })
  })

  it.each([
    [429, 'busy', false],
    [503, 'failed', false],
    [408, 'failed', true],
    [504, 'failed', true],
  ] as const)(
    'of %d is a transient failure (%s); the work may have begun: %s',
    (status, kind, mayHaveBegun) =>
      expect(toUpstreamFailure({ kind: 'busy', status })).toEqual({
        kind,
        status,
        mayHaveBegun,
        isTransient: true,
      }),
  )

  it.each([
    ['7', 7],
    ['0', 1],
    ['999999', 3600],
    ['Fri, 02 Jan 2026 03:04:35 GMT', 30],
    ['Fri, 02 Jan 2026 03:00:00 GMT', 1],
    ['2.5', 3],
    ['30.5', 31],
    ['-5', undefined],
    ['soon', undefined],
  ])('with Retry-After %s says %s s', async (text, seconds) => {
    const response = new Response('{}', { status: 429, headers: { 'retry-after': text } })
    const fault = await readUpstreamFault(response, undefined, () =>
      Date.parse('2026-01-02T03:04:05Z'),
    )
    expect(fault).toEqual({
      kind: 'busy',
      status: 429,
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    })
  })
})

it.each([
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', false],
  ['ERR_SSL_WRONG_VERSION_NUMBER', false],
  ['ECONNRESET', true],
])('after %s upstream work may have begun: %s', (code, mayHaveBegun) =>
  expect(readFetchFailure(new TypeError('fetch failed', { cause: { code } }))).toMatchObject({
    mayHaveBegun,
  }),
)

describe('the reason of a rejection', () => {
  it.each([
    [{ error: { message: 'Unknown voice', type: 'invalid_request_error' } }, 'Unknown voice'],
    [{ error: 'Unknown voice' }, 'Unknown voice'],
    [{ message: 'Unknown voice' }, 'Unknown voice'],
    [{ detail: 'Unknown voice' }, 'Unknown voice'],
    [{ detail: [{ loc: ['body', 'voice'], msg: 'Unknown voice' }] }, 'Unknown voice'],
    [{ code: 7 }, ''],
    [null, ''],
  ])('is found in %j', async (body, said) =>
    expect(await readReason(JSON.stringify(body))).toBe(said),
  )

  it('is absent in invalid or truncated JSON, and beyond 16 KiB', async () => {
    expect(await readReason('<html>nginx at 10.0.0.7</html>')).toBe('')
    expect(await readReason('{"error":"Unkn')).toBe('')
    expect(await readReason(JSON.stringify({ error: 'x '.repeat(10_000) }))).toBe('')
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('reset')),
    })
    expect(await readReason(broken)).toBe('')
  })

  it('reads no more than needed of an endless body', async () => {
    let cancelled = false
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(' '.repeat(1000))),
      cancel: () => void (cancelled = true),
    })
    expect(await readReason(endless)).toBe('')
    expect(cancelled).toBe(true)
  })

  it('has keys, tokens and addresses removed, but keeps model and voice names', async () => {
    const error = [
      'The model tts-qwen3-0-6b has no voice "Vivian".',
      'Key up-key, sk-abc123def456, Bearer abc.def',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
      'see http://10.0.0.7:8000/v1 and account 7',
    ].join(' ')
    expect(await readReason(JSON.stringify({ error }), 'up-key')).toBe(
      'The model tts-qwen3-0-6b has no voice "Vivian". Key [hidden], [hidden], [hidden] [hidden] see [hidden] and account 7',
    )
  })

  it('is one line of at most 300 characters', async () => {
    expect(await readReason(JSON.stringify({ error: 'one\r\n\u2028\u0007two' }))).toBe('one two')
    expect(await readReason(JSON.stringify({ error: 'word '.repeat(200) }))).toHaveLength(300)
  })
})
