import { once } from 'node:events'
import { request } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
} from '@modelcontextprotocol/client'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { waitForExit, startCommandLine, type CommandLine } from '../../test/farebox-command.js'

const token = 'a-token-of-this-test'
let line: CommandLine
const clients: Client[] = []
const ends: (() => unknown)[] = []
beforeAll(async () => void (line = await startCommandLine()))
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  for (const end of ends.splice(0)) await end()
})
afterAll(() => line.close())

const commandLine = ['mcp', '--http', '0']
const createCredentials = () => ({ FAREBOX_PRIVATE_KEY: line.privateKey, FAREBOX_MCP_TOKEN: token })

/** Starts a server in this process; resolves to its address and what it printed. */
async function serve(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { stderr, interrupt, code } = line.running([...commandLine, ...args], {
    ...createCredentials(),
    ...env,
  })
  ends.push(async () => {
    interrupt()
    await code
  })
  return waitForAddress(stderr)
}

async function waitForAddress(
  stderr: Readable,
): Promise<{ readonly url: string; readonly printed: string }> {
  let printed = ''
  stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  for (;;) {
    const url = /listening on (\S+)\n/.exec(printed)?.[1]
    if (url !== undefined) return { url, printed }
    await once(stderr, 'data')
  }
}

async function connect(url: string, versions?: readonly string[]): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    versions === undefined ? {} : { supportedProtocolVersions: [...versions] },
  )
  clients.push(client)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  return client
}

/** A request of our own, with any headers: fetch sends no Origin. */
function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  { method = 'POST', body = '' } = {},
) {
  return new Promise<{
    status: number | undefined
    headers: Readonly<Record<string, unknown>>
    body: string
  }>((resolve, reject) => {
    const sent = request(
      url,
      { method, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
          reject,
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const readText = (result: CallToolResult) =>
  result.content.map((part) => ('text' in part ? part.text : '')).join('')

describe('farebox mcp --http', () => {
  it('serves the tools to the official client, by the current protocol and by the one before', async () => {
    const { url } = await serve()
    for (const versions of [undefined, ['2025-06-18']]) {
      const client = await connect(url, versions)
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('parseText')
      const model = await client.callTool({ name: 'getModel', arguments: { id: 'tts-kokoro' } })
      expect(model.structuredContent).toMatchObject({ id: 'tts-kokoro' })
    }
  })

  it('shares its caps between all clients', async () => {
    const { url } = await serve(['--max-usd', '5.005', '--max-usd-per-call', '5'])
    const [one, other] = [await connect(url), await connect(url)]
    expect(
      (await one.callTool({ name: 'topUp', arguments: { amountUsd: 5 } })).isError,
    ).toBeUndefined()
    const rejected = await other.callTool({
      name: 'parseText',
      arguments: { file: Buffer.from('Fares').toString('base64') },
    })
    expect(readText(rejected)).toContain('(--max-usd) 0.005 are left. Nothing was sent.')
  })

  it('rejects requests without its token, and pages of a foreign origin', async () => {
    const { url } = await serve(['--allow-origin', 'https://inspector.example'])
    const own = { authorization: `Bearer ${token}` }
    expect(await send(url, {})).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="farebox mcp"' },
    })
    expect(await send(url, { authorization: `Bearer ${token}x` })).toMatchObject({ status: 401 })
    expect(await send(url, { ...own, origin: 'https://evil.example' })).toMatchObject({
      status: 403,
    })
    expect(await send(url, { ...own, origin: 'null' })).toMatchObject({ status: 403 })
    expect(await send(url.replace('/mcp', '/'), own)).toMatchObject({ status: 404 })
    const allowed = { origin: 'https://inspector.example', 'access-control-request-method': 'POST' }
    expect(await send(url, allowed, { method: 'OPTIONS' })).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': 'https://inspector.example' },
    })
    const listed = await send(
      url,
      {
        ...own,
        origin: 'https://inspector.example',
        accept: 'application/json, text/event-stream',
      },
      { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) },
    )
    expect([listed.status, listed.body]).toEqual([200, expect.stringContaining('"parseText"')])
  })

  deepTest('rejects a body that is larger than any input', async () => {
    const { url } = await serve()
    const own = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' }
    const response = await send(url, own, { body: ' '.repeat(36 * 1024 * 1024 + 1) })
    expect(response.status).toBe(413)
  })

  it('creates a token if none is set, and reports invalid options', async () => {
    const { printed, url } = await serve([], { FAREBOX_MCP_TOKEN: '' })
    const made = /the token of this run is (\S+) /.exec(printed)?.[1] ?? ''
    expect(made).toMatch(/^[\w-]{43}$/)
    expect(await send(url, { authorization: `Bearer ${token}` })).toMatchObject({ status: 401 })
    expect(await send(url, { authorization: `Bearer ${made}` }, { method: 'GET' })).toMatchObject({
      status: 405,
    })

    const weak = { env: { FAREBOX_MCP_TOKEN: 'short' } }
    expect(await line.farebox(['mcp', '--http', '0'], weak)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('too weak') as string,
    })
    expect((await line.farebox(['mcp', '--host', '0.0.0.0'])).stderr).toContain(
      '--host needs --http',
    )
    expect(
      (await line.farebox(['mcp', '--http', '0', '--allow-origin', 'https://x.example/a'])).stderr,
    ).toContain('expected origins such as')
    const port = new URL(url).port
    expect((await line.farebox(['mcp', '--http', port])).stderr).toContain(
      `cannot listen on 127.0.0.1:${port}: the port is in use`,
    )
  })

  deepTest('ends on SIGTERM, although a client is connected', async () => {
    const server = line.start(commandLine, { env: createCredentials() })
    ends.push(() => server.kill('SIGKILL'))
    const { url } = await waitForAddress(server.stderr ?? expect.unreachable())
    await (await connect(url)).listTools()
    const end = waitForExit(server)
    server.kill('SIGTERM')
    expect((await end).code).not.toBeNull()
  })
})

describe('the resources of farebox mcp', () => {
  it('are the models, and the ledger of its wallet', async () => {
    const client = await connect((await serve(['--max-usd-per-call', '5'])).url)
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['farebox://models', 'farebox://ledger'])
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return JSON.parse(content !== undefined && 'text' in content ? content.text : '') as unknown
    }
    expect(await read('farebox://models')).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'tts-kokoro' })]),
    )
    await client.callTool({ name: 'topUp', arguments: { amountUsd: 5 } })
    expect(await read('farebox://ledger')).toMatchObject({
      transactions: {
        transactions: expect.arrayContaining([
          expect.objectContaining({ type: 'TOP_UP' }),
        ]) as object,
      },
    })
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(
      'There is no resource "file:///etc/passwd"; expected one of',
    )
    const keyed = await connect(
      (await serve([], { FAREBOX_PRIVATE_KEY: '', FAREBOX_API_KEY: line.apiKey })).url,
    )
    expect((await keyed.listResources()).resources.map(({ uri }) => uri)).toEqual([
      'farebox://models',
    ])
  })
})
