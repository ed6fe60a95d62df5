import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommandLine, type CommandLine } from '../test/farebox-command.js'

let line: CommandLine
beforeAll(async () => void (line = await startCommandLine()))
afterAll(() => line.close())

const parseJson = (text: string): unknown => JSON.parse(text)
const reply = 'I am local-test-chat, a test model that repeats what it is sent.'

describe('farebox chat', () => {
  it('prints the response of the first text model, and nothing else', async () => {
    expect(await line.asKey(['chat', 'Hello, trams!'])).toMatchObject({
      code: 0,
      stdout: `${reply} You wrote: Hello, trams!`,
      stderr: '',
    })
  })

  it('prints each piece when it comes', async () => {
    const { stdout, code } = line.running(['chat', 'one two three four'], {
      FAREBOX_API_KEY: line.apiKey,
      FAREBOX_BASE_URL: line.baseUrl,
      HOME: line.folder,
    })
    const pieces: string[] = []
    stdout.on('data', (piece: Buffer) => pieces.push(piece.toString()))
    expect(await code).toBe(0)
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.join('')).toBe(`${reply} You wrote: one two three four`)
  })

  it('reads stdin, takes instructions and a limit, and says when the response was cut', async () => {
    const response = await line.asKey(
      ['chat', '-', '--system', 'Be brief.', '--max-tokens', '30', '--model', 'local-test-chat'],
      { input: 'Hello '.repeat(100) },
    )
    expect(response.stdout).toMatch(/^I am .* My instructions have 2 words\. You wrote: Hello/)
    expect(response).toMatchObject({
      code: 0,
      stderr: 'The response was cut at its token limit.\n',
    })
  })

  it('prints the whole completion as JSON', async () => {
    const { stdout } = await line.asWallet(['chat', 'Hello', '--json'])
    // a wallet without credit is told how to pay
    expect(stdout).toBe('')
    const byKey = await line.asKey(['chat', 'Hello', '--json'])
    expect(parseJson(byKey.stdout)).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: `${reply} You wrote: Hello` } }],
      usage: { prompt_tokens: 8 },
    })
  })

  it.each([
    [['--model', 'no-such-model'], /no-such-model/],
    [['--max-tokens', '0'], /--max-tokens/],
    [['--temperature', '9'], /--temperature/],
  ])('names the flag that is at fault: %j', async (flags, message) => {
    const { code, stderr, stdout } = await line.asKey(['chat', 'Hello', ...flags])
    expect([code === 0, stdout]).toEqual([false, ''])
    expect(stderr).toMatch(message)
  })
})

it('farebox embed prints a vector on each line', async () => {
  const { stdout } = await line.asKey(['embed', 'night bus', 'day ticket', '--dimensions', '8'])
  const vectors = stdout.trim().split('\n').map(parseJson) as number[][]
  expect(vectors.map(({ length }) => length)).toEqual([8, 8])
})

describe('farebox image', () => {
  it('writes a file', async () => {
    const args = ['image', 'A tram in the rain', '--size', '256x256', '-o', 'tram.png', '--json']
    const { code, stdout } = await line.asKey(args)
    const file = readFileSync(join(line.folder, 'tram.png'))
    expect([code, parseJson(stdout)]).toEqual([
      0,
      { file: 'tram.png', bytes: file.length, format: 'png' },
    ])
    expect(file.toString('latin1', 1, 4)).toBe('PNG')
  })

  it('rejects a name with another format, before anything is sent', async () => {
    const { code, stderr } = await line.asKey(['image', 'A tram', '-o', 'tram.bmp'])
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('expected a name that ends in .png, .jpg, .jpeg, .webp'),
    ])
  })
})

describe('farebox transcribe', () => {
  beforeAll(async () => {
    await line.asKey(['speech', 'Single ride. Day ticket.', '-o', 'ride.wav'])
  })

  it('prints the text, and with --json its times', async () => {
    const { stdout } = await line.asKey(['transcribe', 'ride.wav'])
    expect(stdout).toMatch(/^\[sound\](?: \[sound\])+\n$/)
    const { segments } = parseJson(
      (await line.asKey(['transcribe', 'ride.wav', '--json'])).stdout,
    ) as {
      readonly segments: readonly { readonly start: number; readonly end: number }[]
    }
    expect(segments).toHaveLength(2)
    for (const { start, end } of segments) expect(end).toBeGreaterThan(start)
  })

  it('writes subtitles', async () => {
    await line.asKey(['transcribe', 'ride.wav', '--format', 'srt', '-o', 'ride.srt'])
    expect(readFileSync(join(line.folder, 'ride.srt'), 'utf8')).toMatch(
      /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n\[sound\]/,
    )
  })
})
