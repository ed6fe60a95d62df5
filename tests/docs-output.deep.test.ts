import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { emitters, folder, generate } from '@farebox/codegen'
import { launchChromium } from '@farebox/testing/launch-chromium'
import { startListening } from '@farebox/testing/start-listening'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'

/** As many operations as GitHub's document has. */
const operationCount = 1200
const hostile = '</script><img src=x onerror="injected = true">[x](javascript:injected())'

const temporary = createTemporaryFolder('docs-output')
const received: IncomingMessage[] = []
let api: Server
let host: Server
let browser: Browser
let page: Page
let site = ''
let apiOrigin = ''
const faults: string[] = []
/** Ends the stream that the API has begun. */
let finish = (): void => undefined
/** What the token endpoint received. */
let tokenRequest = new URLSearchParams()

beforeAll(async () => {
  api = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    const isPreflight = request.method === 'OPTIONS'
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api')
    if (pathname === '/authorize') return signReaderIn(searchParams, response)
    if (pathname === '/token' && !isPreflight) return void giveToken(request, response)
    if (!isPreflight) received.push(request)
    if (isPreflight) response.end()
    else if (request.url?.includes('/stream') === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
      finish = () => response.end('data: last\n\n')
    } else {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ line: hostile }))
    }
  })
  apiOrigin = await startListening(api)
  await writeSite()
  host = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://host').pathname
    const file = join(
      temporary.folder,
      'out/docs',
      decodeURIComponent(path.slice('/sub/path'.length)),
    )
    const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' }
    const bytes = readFileSync(file)
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/html' }).end(bytes)
  })
  site = `${await startListening(host)}/sub/path`
  browser = await launchChromium()
})

beforeEach(async () => {
  await page?.context().close()
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
  page = await context.newPage()
  faults.length = 0
  received.length = 0
  page.on('console', (message) => faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origin !== new URL(site).origin && origin !== apiOrigin && origin !== 'null')
      faults.push(`a request to ${origin}`)
  })
})

afterAll(async () => {
  await browser.close()
  api.close()
  host.close()
  temporary.remove()
})

/** The reader agrees at once. */
function signReaderIn(query: URLSearchParams, response: ServerResponse): void {
  const back = new URL(query.get('redirect_uri') ?? '')
  back.searchParams.set('code', `code for ${query.get('code_challenge')}`)
  back.searchParams.set('state', query.get('state') ?? '')
  response.writeHead(302, { location: back.href }).end()
}

/** Checks the proof of the code, as RFC 7636 says, or the secret of the client. */
async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  tokenRequest = new URLSearchParams(await text(request))
  const challenge = createHash('sha256')
    .update(tokenRequest.get('code_verifier') ?? '')
    .digest('base64url')
  const isRight =
    tokenRequest.get('code') === `code for ${challenge}` ||
    tokenRequest.get('client_secret') === 'right'
  response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
  const rejection = { error: 'invalid_client', error_description: 'The secret is wrong' }
  response.end(JSON.stringify(isRight ? { access_token: 'tram-token' } : rejection))
}

async function writeSite(): Promise<void> {
  const response = { description: hostile, content: { 'application/json': { schema: {} } } }
  const paths = Object.fromEntries(
    Array.from({ length: operationCount }, (_, index) => [
      `/lines/{line}/trams/${index}`,
      {
        get: {
          operationId: `tram${index}`,
          summary: `Tram number ${index}`,
          description: hostile,
          tags: [`Depot ${index % 40}`],
          parameters: [
            { name: 'line', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'colours', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          ],
          responses: { 200: response },
        },
      },
    ]),
  )
  const document = {
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1', description: hostile },
    servers: [{ url: `${apiOrigin}/v1` }],
    security: [{ key: [] }],
    paths: {
      ...paths,
      '/depots': {
        get: { operationId: 'depots', security: [{ oauth: [] }], responses: { 200: response } },
      },
      '/stream': { get: { operationId: 'stream', responses: { 200: response } } },
    },
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
        oauth: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${apiOrigin}/authorize`,
              tokenUrl: `${apiOrigin}/token`,
              scopes: { read: 'Read all depots.' },
            },
            clientCredentials: { tokenUrl: `${apiOrigin}/token`, scopes: {} },
          },
        },
      },
    },
  }
  const result = await generate({
    spec: '-',
    cwd: temporary.folder,
    emitters: emitters.filter(({ name }) => name === 'docs'),
    target: folder('out', 'farebox-codegen'),
    input: { stdin: new Blob([JSON.stringify(document)]).stream() },
  })
  expect(result.status).toBe('written')
}

it("opens a document as large as GitHub's with three small files from its own host", async () => {
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url().slice(site.length)))
  await page.goto(`${site}/index.html`)
  const status = page.locator('#filter-status')
  expect(await status.textContent()).toBe(`${operationCount + 2} operations`)
  expect(loaded.toSorted()).toEqual(['/index.html', '/reference.css', '/reference.js'])
  expect(statSync(join(temporary.folder, 'out/docs/index.html')).size).toBeLessThan(500_000)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)

  await page.keyboard.press('/')
  await page.keyboard.type('number 777')
  expect(await status.textContent()).toBe('1 operation')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/operations/tram777.html')
  expect(await page.locator('h1').textContent()).toBe('Tram number 777')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(faults).toEqual([])
})

it('sends a request to the server of the document, with a credential that it keeps only if asked', async () => {
  await page.goto(`${site}/operations/tram5.html`)
  await page.getByRole('button', { name: /^Send GET/ }).click()
  await page.getByText('Required', { exact: true }).waitFor()
  expect(received).toEqual([])

  await page.getByLabel('key header X-Key').fill('secret')
  await page.getByLabel('line required').fill('9 b')
  await page.getByRole('button', { name: 'Add to colours' }).click()
  await page.getByLabel('colours 1').last().fill('red')
  await page.getByRole('button', { name: /^Send GET/ }).click()
  await page.locator('output[data-calls="1"]').waitFor()
  expect(received.map(({ url, headers }) => [url, headers['x-key']])).toEqual([
    ['/v1/lines/9%20b/trams/5?colours=red', 'secret'],
  ])
  expect(await page.locator('output').textContent()).toContain('onerror=')
  expect(await page.locator('.fbr-trace').textContent()).not.toContain('secret')
  expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false)

  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  await page.getByLabel('Keep in this tab').check()
  await page.goto(`${site}/operations/tram6.html`)
  expect(await page.getByLabel('key header X-Key').inputValue()).toBe('secret')
  await page.getByRole('button', { name: 'Forget all' }).click()
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  expect(faults).toEqual([])
})

it('shows a stream as it arrives', async () => {
  await page.goto(`${site}/operations/stream.html`)
  await page.getByRole('button', { name: /^Send GET/ }).click()
  await page.locator('output').getByText('data: first').waitFor()
  expect(await page.locator('output').textContent()).not.toContain('data: last')
  finish()
  await page.locator('output').getByText('data: last').waitFor()
  expect(faults).toEqual([])
})

it('signs the reader in with OAuth, in a window that closes itself', async () => {
  await page.goto(`${site}/operations/depots.html`)
  await page.getByText('Get a token by OAuth 2.0').click()
  await page.getByText(`${site}/index.html`).waitFor()
  await page.getByLabel('Client ID').fill('reader')
  await page.getByLabel('Scopes').fill('read')
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Sign in' }).click()
  const window = await popup
  await page.getByText('The token is filled in.').waitFor()
  if (!window.isClosed()) await window.waitForEvent('close')
  expect(Object.fromEntries(tokenRequest)).toMatchObject({
    grant_type: 'authorization_code',
    client_id: 'reader',
    redirect_uri: `${site}/index.html`,
  })
  await page.getByRole('button', { name: /^Send GET/ }).click()
  await page.locator('output[data-calls="1"]').waitFor()
  expect(received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/v1/depots', 'Bearer tram-token'],
  ])
  expect(faults).toEqual([])
})

it('gets a token for a client, or says why there is none', async () => {
  await page.goto(`${site}/operations/depots.html`)
  await page.getByText('Get a token by OAuth 2.0').click()
  await page.getByLabel('Client ID').fill('tram')
  const button = page.getByRole('button', { name: 'Get a token for the client' })
  await page.getByLabel('Client secret').fill('wrong')
  await button.click()
  await page.getByText('gave no token (401): The secret is wrong.').waitFor()
  await page.getByLabel('Client secret').fill('right')
  await button.click()
  await page.getByText('The token is filled in.').waitFor()
  expect(await page.getByLabel('oauth bearer token').inputValue()).toBe('tram-token')
})
