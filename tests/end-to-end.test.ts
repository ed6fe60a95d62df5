import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFarebox, isFareboxError, type Farebox } from 'farebox'
import { memoryPaymentStore, signIn } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { solanaPaymentSigner } from '@farebox/auth/solana'
import { createClient } from '@farebox/client'
import { withMiddleware } from '@farebox/middleware'
import { retry } from '@farebox/retry'
import OpenAI from 'openai'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

const command = fileURLToPath(new URL('../packages/service/dist/bin.js', import.meta.url))
const findFixture = (name: string) =>
  fileURLToPath(new URL(`../packages/service/fixtures/${name}`, import.meta.url))

let service: ChildProcess
let baseUrl: string
let data: string

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'farebox-e2e-'))
  service = spawn(process.execPath, [command, '--port', '0', '--data', join(data, 'ledger')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAREBOX_ADMIN_KEY: 'end-to-end-admin-key' },
  })
  baseUrl = await new Promise((resolve, reject) => {
    let output = ''
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, origin] = /Farebox service listening on (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (origin !== undefined) resolve(`${origin}/api/v1`)
    })
    service.once('exit', (code) =>
      reject(new Error(`The service ended with ${code} before it was ready:\n${output}`)),
    )
  })
})

afterAll(async () => {
  const ended = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGTERM')
  expect(await ended).toBe(0)
  await rm(data, { recursive: true, force: true })
})

describe('a wallet against the service over HTTP', () => {
  const wallet = privateKeySigner(generatePrivateKey())
  let farebox: Farebox

  beforeAll(() => {
    farebox = createFarebox({ baseUrl, wallet, payments: { store: memoryPaymentStore() } })
  })

  it('discovers what a top-up costs', async () => {
    const response = await createClient({ baseUrl }).topUp({})
    if (response.status !== 402) throw new Error(`Expected 402, found ${response.status}.`)
    expect(response.error.accepts[0]).toMatchObject({
      scheme: 'exact',
      network: 'base',
      amount: '5000000',
    })
    expect(response.response.headers.get('payment-required')).not.toBeNull()
  })

  it('is rejected before it has paid, with instructions', async () => {
    const error = await farebox
      .parseText({ file: new Blob(['Fares']) })
      .catch((thrown: unknown) => thrown)
    if (!isFareboxError(error, 'parseText', 402)) throw error
    expect(error).toMatchObject({ code: 'insufficient_balance' })
    expect(error.body).toMatchObject({ minimumTopUpUsd: 5 })
  })

  it('pays 5 USD', async () => {
    expect(await farebox.topUp(5)).toMatchObject({ amountCredited: 5, newBalance: 5 })
  })

  deepTest('also pays on Solana, and spends the credit', async () => {
    const wallet = solanaPaymentSigner(crypto.getRandomValues(new Uint8Array(32)))
    const solana = createFarebox({ baseUrl, wallet, payments: { store: memoryPaymentStore() } })
    expect(await solana.topUp(7)).toMatchObject({
      walletAddress: wallet.address,
      amountCredited: 7,
      newBalance: 7,
    })
    await solana.parseText({ file: new Blob(['Fares']) })
    expect(await solana.balance()).toMatchObject({ balanceUsd: 6.99 })
  })

  it.each([
    'fare-table.pdf',
    'fare-table.docx',
    'fare-table.pptx',
    'fare-table.xlsx',
    'fare-table.txt',
  ])('has %s parsed', async (name) => {
    const result = await farebox.parseText({ file: { path: findFixture(name) } })
    if (typeof result === 'string') throw new Error('Expected JSON.')
    expect(result.text).toMatch(/2\.40?\b/)
    expect(result.text).toContain('Möweninsel')
    expect(result.tokens).toBeGreaterThan(10)
  })

  it('gets only the text on request', async () => {
    const bytes = await readFile(findFixture('fare-table.txt'))
    expect(await farebox.parseText({ file: bytes, response_format: 'text' })).toBe(
      bytes.toString('utf8'),
    )
  })

  it('sends a file from a stream', async () => {
    const stream = () => new Blob(['Tram fares, streamed']).stream()
    expect(
      await farebox.parseText({ file: { stream, name: 'fares.txt' }, response_format: 'text' }),
    ).toBe('Tram fares, streamed')
  })

  it('has paid a cent for each', async () => {
    expect(await farebox.balance()).toMatchObject({ balanceUsd: 4.93, canConsume: true })
  })

  it('walks its ledger, newest first, and each entry follows from the one before', async () => {
    const entries = []
    for await (const entry of farebox.transactions()) entries.push(entry)
    expect(entries.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 7 }, () => 'CHARGE'),
      'TOP_UP',
    ])
    expect(entries.map(({ balanceAfter }) => balanceAfter)).toEqual([
      4.93, 4.94, 4.95, 4.96, 4.97, 4.98, 4.99, 5,
    ])
    expect(
      entries.every(({ requestId, type }) => (requestId !== null) === (type === 'CHARGE')),
    ).toBe(true)
  })

  it('cannot read the ledger of another wallet', async () => {
    const stranger = privateKeySigner(generatePrivateKey()).address
    const error = await farebox
      .listTransactions({ walletAddress: stranger })
      .catch((thrown: unknown) => thrown)
    expect(isFareboxError(error, 'listTransactions', 403)).toBe(true)
  })

  it('pays nothing for a rejected file', async () => {
    const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
    const error = await farebox.parseText({ file: picture }).catch((thrown: unknown) => thrown)
    expect(isFareboxError(error, 'parseText', 400)).toBe(true)
    expect((await farebox.balance()).balanceUsd).toBe(4.93)
  })
})

describe('the example parse-document of the SDK', () => {
  it('pays when it has to, and prints the text', async () => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    // it is run in the root
    const home = process.cwd()
    process.chdir(fileURLToPath(new URL('..', import.meta.url)))
    onTestFinished(() => process.chdir(home))
    vi.stubEnv('FAREBOX_BASE_URL', baseUrl)
    vi.stubEnv('FAREBOX_PRIVATE_KEY', generatePrivateKey())
    vi.stubEnv('XDG_STATE_HOME', join(data, 'state'))
    await import('../packages/farebox/examples/parse-document.js')
    expect(printed.mock.calls.flat().join()).toContain('Fares of the harbour line')
    printed.mockRestore()
    vi.unstubAllEnvs()
  })
})

describe('the official openai package with our fetch', () => {
  const signer = privateKeySigner(generatePrivateKey())
  const seen: Headers[] = []
  const openai = () =>
    new OpenAI({
      baseURL: baseUrl,
      fetch: withMiddleware(
        async (input, init) => {
          seen.push(new Headers(init?.headers))
          return fetch(input, init)
        },
        retry(),
        signIn(signer, { origin: baseUrl }),
      ),
      apiKey: 'none',
      defaultHeaders: { authorization: null },
      maxRetries: 0,
    })

  it('lists models, with a new signature for each call', async () => {
    const ids = async () => (await openai().models.list()).data.map(({ id }) => id)
    expect(await ids()).toContain('tts-kokoro')
    expect(await ids()).toContain('tts-kokoro')
    expect(seen.map((headers) => headers.get('authorization'))).toEqual([null, null])
    expect(new Set(seen.map((headers) => headers.get('sign-in-with-x'))).size).toBe(2)
  })

  it('reports an empty wallet as its own error', async () => {
    const speech = openai().audio.speech.create({
      model: 'tts-kokoro',
      voice: 'af_sky',
      input: 'One ticket, please.',
    })
    await expect(speech).rejects.toMatchObject({ status: 402, name: expect.any(String) as string })
  })

  it('pays and speaks in the example of the README of @farebox/auth', async () => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    // the README is read in the root
    const home = process.cwd()
    process.chdir(fileURLToPath(new URL('..', import.meta.url)))
    onTestFinished(() => process.chdir(home))
    vi.stubEnv('FAREBOX_BASE_URL', baseUrl)
    vi.stubEnv('FAREBOX_PRIVATE_KEY', generatePrivateKey())
    vi.stubEnv('XDG_STATE_HOME', join(data, 'state'))
    await import('./other-clients/openai.js')
    expect(printed.mock.calls.flat().join()).toMatch(/^\d{5,} bytes of speech$/)
    printed.mockRestore()
    vi.unstubAllEnvs()
    const read = (path: string) => readFile(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
    expect(await read('../packages/auth/README.md')).toContain(
      await read('other-clients/openai.ts'),
    )
  })
})

describe('an API key against the service over HTTP', () => {
  it('has a file parsed with the admin key', async () => {
    const farebox = createFarebox({ baseUrl, apiKey: 'end-to-end-admin-key' })
    expect(
      await farebox.parseText({ file: new Blob(['Tram fares']), response_format: 'text' }),
    ).toBe('Tram fares')
  })

  it('is rejected with another key', async () => {
    const error = await createFarebox({ baseUrl, apiKey: 'wrong' })
      .parseText({ file: new Blob(['x']) })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 401, operation: 'parseText' })
  })

  it('gets speech', async () => {
    const farebox = createFarebox({ baseUrl, apiKey: 'end-to-end-admin-key' })
    const speech = await farebox.createSpeech({
      input: 'Two tickets, please.',
      response_format: 'wav',
    })
    expect([
      speech.headers.get('content-type'),
      (await speech.arrayBuffer()).byteLength > 10_000,
    ]).toEqual(['audio/wav', true])
  })

  it.each(['local-test-clip', 'local-test-clip-private'])('gets a video from %s', async (model) => {
    const farebox = createFarebox({ baseUrl, apiKey: 'end-to-end-admin-key' })
    const video = await farebox.generateVideo(
      { model, prompt: 'A tram', duration: '2s', resolution: '256p' },
      { pollMs: 100 },
    )
    expect((await video.arrayBuffer()).byteLength).toBeGreaterThan(5_000)
  })
})
