import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { createTemporaryFolder } from '../temporary-folder.js'
import { names, payOnce, type PaidRequest, type PaidResponse } from './pay-once.js'

const command = fileURLToPath(new URL('../../packages/service/dist/bin.js', import.meta.url))

const data = createTemporaryFolder('x402')
let service: ChildProcess
let baseUrl = ''
let serial = 0

/** The service as an operator starts it, behind a proxy on this machine. */
beforeAll(async () => {
  service = spawn(
    process.execPath,
    [command, '--port', '0', '--data', data.folder, '--trusted-proxies', '127.0.0.1'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
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
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  data.remove()
})

/** From an address of its own, so that no limit is met. */
const createPaidRequest = (path: string, json?: object): PaidRequest => ({
  url: baseUrl + path,
  headers: { 'x-forwarded-for': `10.4.0.${++serial}` },
  ...(json && { json }),
})
const createSpeechRequest = () =>
  createPaidRequest('/audio/speech', { input: 'Trams.', response_format: 'pcm' })
const decodePaymentResponse = (headers: PaidResponse['headers']) =>
  JSON.parse(Buffer.from(headers['payment-response'] ?? '', 'base64').toString()) as Record<
    string,
    unknown
  >

function expectSpeech({ status, headers, bytes }: PaidResponse, key: `0x${string}`) {
  expect([status, headers['content-type'], headers['x-balance-remaining']]).toEqual([
    200,
    'audio/pcm',
    '4.999979',
  ])
  expect(bytes).toBeGreaterThan(1000)
  expect(decodePaymentResponse(headers)).toMatchObject({
    success: true,
    network: 'eip155:8453',
    payer: privateKeyToAddress(key),
  })
}

describe.each(names)('%s', (name) => {
  it('pays for speech in the call that asks for it', async () => {
    const key = generatePrivateKey()
    expectSpeech(await payOnce(name, key, createSpeechRequest()), key)
  })

  it('tops up', async () => {
    const key = generatePrivateKey()
    const { status, headers } = await payOnce(name, key, createPaidRequest('/x402/top-up'))
    expect([status, decodePaymentResponse(headers)]).toMatchObject([
      200,
      { success: true, payer: privateKeyToAddress(key) },
    ])
  })
})

describe('in Chromium, from a page of another origin', () => {
  let browser: Browser
  let page: Page
  let site: Server

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: "export * from './pay-once.ts'",
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        loader: 'ts',
      },
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'program',
      platform: 'browser',
      target: 'es2022',
      conditions: ['@farebox/source'],
    })
    site = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(),
    )
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    browser = await launchChromium()
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  })

  afterAll(async () => {
    await browser.close()
    site.close()
  })

  it.each(names)('%s pays for speech in the call that asks for it', async (name) => {
    const key = generatePrivateKey()
    const asked = [name, key, createSpeechRequest()]
      .map((value) => JSON.stringify(value))
      .join(', ')
    expectSpeech(await page.evaluate<PaidResponse>(`program.payOnce(${asked})`), key)
  })
})
