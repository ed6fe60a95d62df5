import { describe, expect, it } from 'vitest'
import { createFarebox } from './farebox.js'
import type { FareboxError } from './error.js'
import { validation, type ValidationOptions } from './validation.js'

const baseUrl = 'https://api.example.test/api/v1'

function createSdk(response: unknown, options?: ValidationOptions) {
  let sent = 0
  const fetch = async () => {
    sent++
    return Response.json(response, { headers: { 'x-request-id': 'req-1' } })
  }
  return {
    sdk: createFarebox({
      baseUrl,
      apiKey: 'k',
      fetch,
      retry: false,
      validation: validation(options),
    }),
    sends: () => sent,
  }
}
const catchError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: FareboxError) => error,
  )

describe('validation', () => {
  it('rejects an invalid input with every issue, and sends nothing', async () => {
    const { sdk, sends } = createSdk({})
    const error = await catchError(sdk.createSpeech({ input: '', speed: 9 }))
    expect(error).toMatchObject({
      code: 'invalid_input',
      operation: 'createSpeech',
      attempts: 0,
      mayHaveArrived: false,
    })
    expect(error?.message).toMatch(
      /^createSpeech: the input does not match the contract, and nothing was sent\. input: .+; speed: /,
    )
    expect(sends()).toBe(0)
  })

  it('names fields as the input does, including path, query and header', async () => {
    const { sdk } = createSdk({})
    expect((await catchError(sdk.getBalance({ walletAddress: 'nobody' })))?.message).toContain(
      'walletAddress: ',
    )
    expect(
      (await catchError(sdk.listTransactions({ walletAddress: `0x${'1'.repeat(40)}`, limit: 101 })))
        ?.message,
    ).toContain('limit: ')
    expect(
      (await catchError(sdk.createSpeech({ input: 'x' }, { idempotencyKey: '' })))?.message,
    ).toContain('idempotencyKey: ')
  })

  it('accepts files of any form', async () => {
    const { sdk, sends } = createSdk({ text: 'a', tokens: 1 })
    await sdk.parseText({ file: new Blob(['a']) })
    await sdk.parseText({ file: () => new Blob(['a']).stream() })
    expect(sends()).toBe(2)
  })

  it('rejects a response that does not match the contract, and keeps it', async () => {
    const { sdk } = createSdk({ text: 'a', tokens: 'many' })
    const error = await catchError(sdk.parseText({ file: new Blob(['a']) }))
    expect(error).toMatchObject({
      code: 'invalid_response',
      status: 200,
      requestId: 'req-1',
      body: { text: 'a', tokens: 'many' },
      mayHaveArrived: true,
    })
    expect(error?.message).toMatch(
      /^parseText: the response does not match the contract\. tokens: /,
    )
  })

  it('validates only requests or only responses if configured', async () => {
    expect(
      await catchError(
        createSdk({ text: 1 }, { responses: false }).sdk.parseText({ file: new Blob(['a']) }),
      ),
    ).toBeUndefined()
    const lenient = createSdk({ object: 'list', type: 'all', data: [] }, { requests: false })
    // @ts-expect-error -- no such type
    expect(await catchError(lenient.sdk.listModels({ type: 'smell' }))).toBeUndefined()
  })

  it('passes audio on unread', async () => {
    const sdk = createFarebox({
      baseUrl,
      apiKey: 'k',
      fetch: async () => new Response('sound', { headers: { 'content-type': 'audio/mpeg' } }),
      validation: validation(),
    })
    expect(await (await sdk.createSpeech({ input: 'x' })).text()).toBe('sound')
  })
})
