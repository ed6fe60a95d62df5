import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  waitForExit,
  fareboxBin,
  findFixture,
  startCommandLine,
  type CommandLine,
} from '../../test/farebox-command.js'
import { connectClient } from '../../test/mcp-client.js'

let line: CommandLine
let media: string
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  line = await startCommandLine()
  media = join(line.folder, 'media')
  mkdirSync(media)
  writeFileSync(join(media, 'fares.pdf'), readFileSync(findFixture('fare-table.pdf')))
  writeFileSync(join(line.folder, 'secret.txt'), 'Not for a model')
})
afterEach(async () => void (await Promise.all(ends.splice(0).map((end) => end()))))
afterAll(() => line.close())

/** The official client, with the command in this process. */
async function connect(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = { FAREBOX_API_KEY: line.apiKey },
): Promise<Client> {
  const { client, end } = await connectClient(line.running(['mcp', ...args], env))
  ends.push(end)
  return client
}

/** The same with the command as a process of its own, which the client starts as hosts do. */
async function start(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  ends.push(() => client.close())
  const env = { HOME: line.folder, FAREBOX_BASE_URL: line.baseUrl, FAREBOX_API_KEY: line.apiKey }
  const args = [fareboxBin, 'mcp', '--folder', media]
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      stderr: 'ignore',
      cwd: tmpdir(),
    }),
  )
  return client
}

const call = (client: Client, name: string, input: Readonly<Record<string, unknown>> = {}) =>
  // a slow machine speaks for longer than the client waits by default
  client.callTool({ name, arguments: input }, { timeout: 2 ** 30 })
const readText = (result: { readonly content: readonly { readonly type: string }[] }) =>
  result.content.map((part) => ('text' in part ? String(part.text) : '')).join('')
const readSpent = async () =>
  100 -
  (JSON.parse((await line.asKey(['balance', '--json'])).stdout) as { readonly USD: number }).USD

describe('farebox mcp', () => {
  it('offers and does in read-only mode what only reads', async () => {
    const client = await connect(['--read-only'])
    const { tools } = await client.listTools()
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    expect(tools.map(({ name }) => name)).not.toContain('parseText')
    const rejected = await call(client, 'parseText', {
      file: Buffer.from('Tram fares').toString('base64'),
    })
    expect(rejected.isError).toBe(true)
    expect(readText(rejected)).toContain('There is no tool "parseText". The tools are: ')
    expect((await call(client, 'getModel', { id: 'tts-kokoro' })).structuredContent).toMatchObject({
      id: 'tts-kokoro',
    })
  })

  it('parses, speaks and says what is wrong, with bytes in the conversation', async () => {
    const client = await connect()
    expect(client.getInstructions()).toContain('A call may cost 1 USD, all calls together 5 USD')
    const parsed = await call(client, 'parseText', {
      file: Buffer.from('Tram fares').toString('base64'),
    })
    expect(JSON.parse(readText(parsed))).toEqual({ text: 'Tram fares', tokens: 3 })
    const spoken = await call(client, 'createSpeech', { input: 'Hello', response_format: 'wav' })
    const [audio] = spoken.content
    if (audio?.type !== 'audio') throw new Error('Expected audio.')
    expect([audio.mimeType, Buffer.from(audio.data, 'base64').toString('latin1', 0, 4)]).toEqual([
      'audio/wav',
      'RIFF',
    ])

    const wrong = await call(client, 'createSpeech', { input: 'Hello', speed: 9 })
    expect([wrong.isError, readText(wrong)]).toEqual([
      true,
      expect.stringContaining('speed: Expected a number <= 4'),
    ])
    expect(readText(await call(client, 'parseText', { file: 'not base64!' }))).toContain(
      'file is not base64',
    )
    expect(readText(await call(client, 'parseText'))).toContain('Pass file as base64')
    expect(readText(await call(client, 'createImage', { prompt: 'A tram' }))).toBe(
      'The price depends on the model, and the input has no `model`. Nothing was sent.',
    )
    expect(
      readText(await call(client, 'createSpeech', { input: 'Hello', saveAs: 'hello.mp3' })),
    ).toBe('This server has no folder. Omit saveAs, or start it with --folder.')
  })

  it('returns an image as an image or as a file, and not as text that fills the conversation', async () => {
    const input = { prompt: 'A tram', model: 'local-test-image', size: '256x256' }
    const made = await call(await connect(), 'createImage', input)
    const said = { data: [{ b64_json: 'image 1 of this result' }] }
    expect(JSON.parse(readText(made))).toMatchObject(said)
    expect(made.structuredContent).toMatchObject(said)
    const [, image] = made.content
    if (image?.type !== 'image') throw new Error('Expected an image.')
    expect([image.mimeType, Buffer.from(image.data, 'base64').toString('latin1', 1, 4)]).toEqual([
      'image/png',
      'PNG',
    ])

    const saved = await call(await start(), 'createImage', input)
    const [, link] = saved.content
    if (link?.type !== 'resource_link') throw new Error('Expected a file.')
    expect(readFileSync(join(media, link.name))).toEqual(Buffer.from(image.data, 'base64'))
  })

  it('says how to get a result that is too large for the conversation without paying again', async () => {
    const input = { input: 'Hello '.repeat(680), response_format: 'wav' }
    const large = readText(await call(await connect(), 'createSpeech', input))
    const [, idempotencyKey = ''] = /idempotencyKey "([^"]+)"/.exec(large) ?? []
    const spent = await readSpent()
    const client = await start()
    const again = await call(client, 'createSpeech', { ...input, idempotencyKey })
    expect(readText(again)).toMatch(/^Saved .* bytes of audio\/wav\.$/)
    expect(await readSpent()).toBe(spent)
  })

  it('reads and writes in the folder, and nowhere else', async () => {
    const client = await start()
    expect(
      readText(await call(client, 'parseText', { filePath: 'fares.pdf', response_format: 'text' })),
    ).toContain('Möweninsel')
    const saved = await call(client, 'createSpeech', { input: 'Hello', saveAs: 'hello.mp3' })
    expect(readText(saved)).toMatch(/^Saved hello\.mp3: \d+ bytes of audio\/mpeg\.$/)
    expect(saved.content[1]).toMatchObject({
      type: 'resource_link',
      uri: expect.stringMatching(/^file:.*\/media\/hello\.mp3$/) as string,
    })
    const first = readFileSync(join(media, 'hello.mp3'))

    const spent = await readSpent()
    for (const [name, input] of [
      ['createSpeech', { input: 'Again', saveAs: 'hello.mp3' }],
      ['createSpeech', { input: 'Hello', saveAs: '../hello.mp3' }],
      ['parseText', { filePath: '../secret.txt' }],
      ['parseText', { filePath: '/etc/passwd' }],
    ] as const) {
      const rejected = await call(client, name, input)
      expect([rejected.isError, readText(rejected)], JSON.stringify(input)).toEqual([
        true,
        expect.stringMatching(/is not overwritten|is not in the folder/),
      ])
    }
    expect(readFileSync(join(media, 'hello.mp3'))).toEqual(first)
    expect(await readSpent()).toBe(spent)
  })

  it('spends no more than the caps, however many calls come at once', async () => {
    const client = await connect(['--max-usd-per-call', '0.5', '--max-usd', '0.035'])
    const before = await readSpent()
    const file = Buffer.from('Tram fares').toString('base64')
    const results = await Promise.all(
      Array.from({ length: 6 }, () => call(client, 'parseText', { file })),
    )
    expect(results.filter(({ isError }) => isError === true).length).toBe(3)
    expect(
      results
        .map(readText)
        .filter((text) => text.includes('(--max-usd) 0.005 are left. Nothing was sent.')).length,
    ).toBe(3)
    expect((await readSpent()) - before).toBeCloseTo(0.03, 9)

    const dear = await call(client, 'queueVideo', {
      model: 'seedance-2-0-text-to-video',
      prompt: 'A tram',
      duration: '5s',
    })
    expect(readText(dear)).toContain(
      'queueVideo costs 1.5 USD, more than the 0.5 USD that one call may cost (--max-usd-per-call)',
    )
    expect(
      readText(
        await call(client, 'createSpeech', {
          input: 'x'.repeat(4096),
          model: 'tts-gemini-3-1-flash',
        }),
      ),
    ).toContain('costs 0.768 USD')
  })

  it('returns the budget of a rejected call', async () => {
    const client = await connect(['--max-usd', '0.01'])
    const wrong = await call(client, 'createSpeech', { input: 'x'.repeat(2800), voice: 'eve' })
    expect(readText(wrong)).toContain('400')
    expect(
      (await call(client, 'parseText', { file: Buffer.from('Tram fares').toString('base64') }))
        .isError,
    ).toBeUndefined()
  })

  it('buys credit for its wallet where the caps allow it, and knows its own address', async () => {
    const env = { FAREBOX_PRIVATE_KEY: line.privateKey }
    expect(readText(await call(await connect([], env), 'topUp', { amountUsd: 5 }))).toContain(
      'topUp costs 5 USD, more than the 1 USD that one call may cost',
    )
    const client = await connect(['--max-usd-per-call', '5'], env)
    expect((await call(client, 'topUp', { amountUsd: 5 })).structuredContent).toMatchObject({
      success: true,
      data: { amountCredited: 5 },
    })
    expect(readText(await call(client, 'topUp', { amountUsd: 5 }))).toContain('0 are left')
    expect((await call(client, 'getBalance')).structuredContent).toMatchObject({
      data: { balanceUsd: 5 },
    })
  })

  it('creates a video: queued, polled, and fetched from its download URL', async () => {
    const client = await connect(['--folder', media])
    const order = {
      model: 'local-test-clip-private',
      prompt: 'A tram',
      duration: '2s',
      resolution: '256p',
    }
    const { structuredContent } = await call(client, 'queueVideo', order)
    const { queue_id } = structuredContent as { readonly queue_id: string }
    for (;;) {
      const response = await call(client, 'retrieveVideo', {
        model: order.model,
        queue_id,
        saveAs: 'tram.mp4',
      })
      if (readText(response).startsWith('Saved')) break
      expect(JSON.parse(readText(response))).toMatchObject({ status: 'PROCESSING' })
    }
    expect(readFileSync(join(media, 'tram.mp4')).toString('latin1', 4, 8)).toBe('ftyp')
  })

  it('leaves consent to a person', async () => {
    const consents = {
      seedance: {
        confirmed_terms_and_privacy: true,
        confirmed_legal_right: true,
        confirmed_screening_acknowledged: true,
      },
    }
    const order = {
      model: 'seedance-2-0-text-to-video',
      prompt: 'A tram',
      duration: '4s',
      consents,
    }
    expect(readText(await call(await connect(), 'queueVideo', order))).toContain(
      'Only the responsible person can give consent',
    )
  })

  it('completes what was requested before the end of stdin, as of a pipe', async () => {
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1.0.0' },
    }
    const messages = [
      { id: 1, method: 'initialize', params: initialize },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'listModels', arguments: {} } },
      { id: 3, method: 'resources/read', params: { uri: 'farebox://models' } },
    ]
    const input = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }))
    const { code, stdout } = await waitForExit(
      line.start(['mcp'], {
        env: { FAREBOX_API_KEY: line.apiKey },
        input: `${input.join('\n')}\n`,
      }),
    )
    const responses = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { readonly id: number })
      .toSorted((one, other) => one.id - other.id)
    expect(code).toBe(0)
    expect(responses).toMatchObject([
      { id: 1 },
      ...[2, 3].map((id) => ({ id, result: expect.anything() as unknown })),
    ])
  })

  deepTest('ends when its client disconnects, and rejects what it cannot serve', async () => {
    const client = await start()
    await client.close()
    expect((await line.farebox(['mcp', '--tools', 'nope'])).stderr).toContain(
      '--tools names "nope"; expected some of topUp, getBalance,',
    )
    expect((await line.farebox(['mcp', '--folder', 'nowhere'])).stderr).toContain(
      'expected an existing folder',
    )
    expect((await line.farebox(['mcp', '--tools', 'createSpeech'])).stderr).toContain(
      'There is no tool to offer.',
    )
    expect(await line.asKey(['mcp', '--max-usd', '-1'])).toMatchObject({ code: 2, stdout: '' })
    const served = line.start(['mcp'], { env: { FAREBOX_API_KEY: line.apiKey }, input: '' })
    expect(await waitForExit(served)).toMatchObject({ code: 0, stdout: '' })
  })
})
