import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { kinds, names, postOnce, type ClientName, type Kind } from './post-once.js'

type ReceivedRequest = { readonly headers: IncomingHttpHeaders; readonly body: Buffer }

let server: Server
let origin = ''
const heard = new Map<string, ReceivedRequest[]>()

/**
 * Over HTTP/1.1. The first request to an address gets the status that the address names, those that
 * follow get 200.
 */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { url = '', headers } = request
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const before = heard.get(url) ?? []
      heard.set(url, [...before, { headers, body: Buffer.concat(parts) }])
      const status = before.length > 0 ? 200 : Number(/\d+$/.exec(url)?.[0] ?? 200)
      response
        .writeHead(status, { 'content-type': url === '/' ? 'text/html' : 'application/json' })
        .end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => void server.close())

const cases = names.flatMap((name) =>
  kinds.flatMap((kind) => [503, 429, 401].map((status) => [name, kind, status] as const)),
)

async function expectTwoSends(
  name: ClientName,
  kind: Kind,
  path: string,
  post: () => Promise<number>,
) {
  expect(await post()).toBe(200)
  const sent = heard.get(path) ?? []
  const [first, second] = sent
  if (first === undefined || second === undefined)
    throw new Error(`Expected two requests to ${path}, found ${sent.length}.`)
  expect(sent).toHaveLength(2)
  for (const { headers, body } of sent) {
    expect(headers['content-length']).toBe(String(body.length))
    expect(headers['transfer-encoding']).toBeUndefined()
  }
  expect(second.body.equals(first.body)).toBe(true)
  expect(second.headers['content-type']).toBe(first.headers['content-type'])
  // one that was signed anew, as a service may take a nonce once
  expect(second.headers['sign-in-with-x']).not.toBe(first.headers['sign-in-with-x'])
  if (kind === 'json') return expect(first.body.toString()).toBe('{"fare":"Straße"}')
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(
    first.headers['content-type'] ?? '',
  )?.[1]
  const form = await new Response(new Uint8Array(first.body), {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }).formData()
  const file = form.get('file')
  expect([form.get('note'), file instanceof File && [file.name, file.size, file.type]]).toEqual([
    'Straße',
    ['fares.bin', 100_000, 'application/x-fares'],
  ])
}

describe('in Node, a Request is sent again with its body', () => {
  it.each(cases)('%s, %s, after a %i', async (name, kind, status) => {
    const path = `/node/${encodeURIComponent(name)}/${kind}/${status}`
    await expectTwoSends(name, kind, path, async () => postOnce(name, kind, origin, path))
  })
})

describe('in Chromium, over HTTP/1.1, a Request is sent again with its body', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: "export * from './post-once.ts'",
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        loader: 'ts',
      },
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'program',
      target: 'es2022',
      conditions: ['@farebox/source'],
    })
    browser = await launchChromium()
    page = await browser.newPage()
    await page.goto(origin)
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  })

  afterAll(async () => browser.close())

  it.each(cases)('%s, %s, after a %i', async (name, kind, status) => {
    const path = `/chromium/${encodeURIComponent(name)}/${kind}/${status}`
    const asked = [name, kind, origin, path].map((text) => JSON.stringify(text)).join(', ')
    await expectTwoSends(name, kind, path, async () =>
      page.evaluate<number>(`program.postOnce(${asked})`),
    )
  })
})
