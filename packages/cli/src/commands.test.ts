import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  waitForExit,
  findFixture,
  startCommandLine,
  type CommandLine,
} from '../test/farebox-command.js'

let line: CommandLine
beforeAll(async () => void (line = await startCommandLine()))
afterAll(() => line.close())

const parseJson = (text: string): unknown => JSON.parse(text)
const readError = ({ stderr }: { readonly stderr: string }) =>
  (parseJson(stderr) as { readonly error: Readonly<Record<string, unknown>> }).error

describe('farebox speech', () => {
  it('writes the format of the file extension, and reports it on stderr', async () => {
    expect(await line.asKey(['speech', 'Hello', '-o', 'hello.mp3'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^speaking\nreceiving\nhello\.mp3: \d+\.\d kB\n$/) as string,
    })
    await line.asKey(['speech', 'Hello', '--output', 'hello.flac', '--quiet'])
    expect(readFileSync(join(line.folder, 'hello.flac')).toString('latin1', 0, 4)).toBe('fLaC')
  })

  deepTest('writes only bytes to a pipe, for text from a pipe', async () => {
    const env = { FAREBOX_API_KEY: line.apiKey }
    const { bytes, code } = await waitForExit(
      line.start(['speech', '-', '--format', 'wav', '--speed', '2'], {
        env,
        input: 'Two tickets, please.',
      }),
    )
    expect([code, bytes.toString('latin1', 0, 4), bytes.toString('latin1', 8, 12)]).toEqual([
      0,
      'RIFF',
      'WAVE',
    ])
  })

  it('says as JSON where the file is and how large', async () => {
    const { stdout, stderr } = await line.asKey(['speech', 'Hello', '-o', 'hello.opus', '--json'])
    expect(parseJson(stdout)).toEqual({
      file: 'hello.opus',
      bytes: statSync(join(line.folder, 'hello.opus')).size,
      contentType: 'audio/opus',
      requestId: expect.stringMatching(/^req_/) as string,
    })
    expect(stderr).toBe('')
  })

  it('leaves no new file when it fails, and keeps an existing one unchanged', async () => {
    writeFileSync(join(line.folder, 'kept.mp3'), 'kept')
    const lost = ['--model', 'tts-chatterbox-hd', '--voice', 'vv_lost']
    const rejected = await line.asKey(['speech', 'Hello', ...lost, '-o', 'kept.mp3'])
    expect(rejected).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('farebox voices lists the voices of each model.') as string,
    })
    expect(readFileSync(join(line.folder, 'kept.mp3'), 'utf8')).toBe('kept')
    expect(readdirSync(line.folder).filter((name) => name.includes('.part'))).toEqual([])
  })

  it('writes the file even if nobody reads the progress', async () => {
    const child = line.start(['speech', 'Hello', '-o', 'unwatched.mp3'], {
      env: { FAREBOX_API_KEY: line.apiKey },
    })
    child.stderr?.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(readdirSync(line.folder)).toContain('unwatched.mp3')
  })

  it('keeps the permissions of an existing file, and takes the longest name', async () => {
    const path = join(line.folder, 'private.mp3')
    writeFileSync(path, 'old', { mode: 0o600 })
    expect(await line.asKey(['speech', 'Hello', '-o', 'private.mp3'])).toMatchObject({ code: 0 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const name = `${'é'.repeat(125)}a.mp3`
    expect(await line.asKey(['speech', 'Hello', '-o', name])).toMatchObject({ code: 0 })
    expect(readdirSync(line.folder)).toContain(name)
  })

  it('lists valid voices and formats before it calls the service', async () => {
    const rejected = await line.asKey(['speech', 'Hello', '--voice', 'eve', '-o', 'a.mp3'])
    expect(rejected).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^farebox: --voice: found "eve", expected a voice of tts-kokoro: af_\w+, /,
      ) as string,
    })
    expect(await line.asKey(['speech', 'Hello', '-o', 'a.xyz'])).toMatchObject({
      code: 2,
      stderr:
        'farebox: -o: found "a.xyz", expected a name that ends in .mp3, .opus, .aac, .flac, .wav, .pcm, or --format with another name.\n',
    })
    expect((await line.asKey(['video', 'x', '-o', 'a.avi'])).stderr).toBe(
      'farebox: -o: found "a.avi", expected a name that ends in .mp4.\n',
    )
    expect(readdirSync(line.folder).filter((name) => name.startsWith('a.'))).toEqual([])
  })

  it('detects that the file cannot be written before it pays', async () => {
    const before = (await line.asKey(['balance'])).stdout
    expect(await line.asKey(['speech', 'Hello', '-o', 'no/such/folder/a.mp3'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'no/such/folder/a.mp3 cannot be written: there is no folder no/such/folder.',
      ) as string,
    })
    expect(await line.asKey(['speech', 'Hello', '-o', '.'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a folder') as string,
    })
    for (const [path, message] of [
      ['', 'The name of the file to write is empty; expected one such as out.'],
      ['not-there/', 'not-there/ is a folder; expected the name of a file to write'],
    ] as const)
      expect(await line.asKey(['speech', 'Hello', '-o', path])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message) as string,
      })
    expect((await line.asKey(['balance'])).stdout).toBe(before)
  })

  it('validates input by the contract, and sends nothing invalid', async () => {
    const rejected = await line.asKey([
      'speech',
      'Hello',
      '--model',
      'nope',
      '--speed',
      '-1',
      '-o',
      'a.mp3',
      '--json',
    ])
    expect(rejected.code).toBe(2)
    expect(readError(rejected)).toMatchObject({ code: 'invalid_input', attempts: 0 })
    expect(readError(rejected)['message']).toMatch(
      /^--model: found "nope", expected one of tts-kokoro, .*; --speed: found "-1", expected 0\.25 or more\. Nothing was sent\.$/,
    )
    expect(
      (await line.asKey(['speech', '-', '-o', 'a.mp3'], { input: new Uint8Array([0xc3, 0x28]) }))
        .stderr,
    ).toContain('stdin is not UTF-8 text')
  })
})

describe('farebox parse', () => {
  it('prints the text, with the tokens on stderr', async () => {
    const { code, stdout, stderr } = await line.asKey(['parse', findFixture('fare-table.pdf')])
    expect(code).toBe(0)
    expect(stdout).toContain('Möweninsel')
    expect(stderr).toBe('parsing fare-table.pdf\n104 tokens\n')
  })

  it('takes a file from a pipe, and gives JSON or a file', async () => {
    const piped = await line.asKey(['parse', '-', '--json'], { input: 'Tram fares' })
    expect(parseJson(piped.stdout)).toEqual({ text: 'Tram fares', tokens: 3 })
    expect(await line.asKey(['parse', '-', '-o', '-'], { input: 'Tram fares' })).toMatchObject({
      code: 0,
      stdout: 'Tram fares',
    })
    expect(readdirSync(line.folder)).not.toContain('-')
    const stored = await line.asKey(['parse', '-', '--json', '-o', 'fares.txt'], {
      input: 'Tram fares',
    })
    expect(parseJson(stored.stdout)).toEqual({ file: 'fares.txt', tokens: 3 })
    expect(readFileSync(join(line.folder, 'fares.txt'), 'utf8')).toBe('Tram fares')
  })

  it('charges once for one idempotency key', async () => {
    const spent = async () =>
      (parseJson((await line.asKey(['balance', '--json'])).stdout) as { readonly USD: number }).USD
    const before = await spent()
    for (let time = 0; time < 2; time++)
      await line.asKey(['parse', findFixture('fare-table.txt'), '--idempotency-key', 'once'])
    expect(before - (await spent())).toBeCloseTo(0.01, 9)
  })

  it('rejects what is not a file', async () => {
    expect((await line.asKey(['parse', 'nowhere.pdf'])).stderr).toContain(
      'There is no file "nowhere.pdf".',
    )
    expect((await line.asKey(['parse', '.'])).stderr).toContain('"." is not a file')
  })
})

describe('a wallet', () => {
  it('is told what to do when it has no credit, buys some, spends it and reads its ledger', async () => {
    const rejected = await line.asWallet(['parse', findFixture('fare-table.txt')])
    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('farebox top-up 10 buys more') as string,
    })

    expect(await line.asWallet(['top-up', '10'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^10 USD credited, 10 USD in all \(payment \w+.*\)\n$/,
      ) as string,
      stderr: 'paying 10 USD\n',
    })
    for (let page = 0; page < 3; page++)
      await line.asWallet(['parse', findFixture('fare-table.txt')])
    const { stdout } = await line.asWallet(['balance', '--json'])
    expect(parseJson(stdout)).toMatchObject({ balanceUsd: 9.97, canConsume: true })

    const all = parseJson(
      (await line.asWallet(['transactions', '--all', '--json'])).stdout,
    ) as readonly {
      readonly type: string
      readonly amount: number
    }[]
    expect(all.map(({ type, amount }) => `${type} ${amount}`)).toEqual([
      'CHARGE -0.01',
      'CHARGE -0.01',
      'CHARGE -0.01',
      'TOP_UP 10',
    ])
    expect((await line.asWallet(['transactions', '--select', 'amount'])).stdout).toBe(
      '-0.01\n-0.01\n-0.01\n10\n',
    )
    const csv = (await line.asWallet(['transactions', '--all', '--csv'])).stdout.split('\r\n')
    expect(csv[0]).toBe('createdAt,type,amountUsd,balanceAfterUsd,modelId,requestId,id')
    expect(csv.slice(1).map((row) => row.split(',').slice(1, 4).join())).toEqual([
      'CHARGE,-0.01,9.97',
      'CHARGE,-0.01,9.98',
      'CHARGE,-0.01,9.99',
      'TOP_UP,10,10',
      '',
    ])
    const page = await line.asWallet(['transactions', '--limit', '2'])
    expect(page.stdout.split('\n').map((row) => row.split(/\s+/).slice(1, 4).join(' '))).toEqual([
      'AMOUNT BALANCE TYPE',
      '-0.010000 9.970000 CHARGE',
      '-0.010000 9.980000 CHARGE',
      '',
    ])
    expect(page.stderr).toBe('There are more: use --offset 2, or --all.\n')
  })

  it('never pays an unintended amount', async () => {
    for (const amount of ['4.99', '1e3', '10,50', '5USD']) {
      expect(await line.asWallet(['top-up', amount]), amount).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('5 or more') as string,
      })
    }
  })

  it('is used even if a key would work, unless the key is requested', async () => {
    const env = { FAREBOX_API_KEY: line.apiKey }
    expect((await line.asWallet(['balance'], { env })).stdout).toMatch(/^wallet {2}0x/)
    expect((await line.asWallet(['balance', '--as', 'key'], { env })).stdout).toMatch(/^USD {2}\d/)
    expect((await line.asWallet(['limits'], { env })).code).toBe(0)
    expect((await line.asWallet(['whoami'], { env })).stdout).toMatch(
      /^caller +the wallet 0x\w{40}\ncredit +[\d.]+ USD\nmay spend +yes\nlimits +\d+ req/,
    )
    const asKey = (await line.asWallet(['whoami', '--as', 'key'], { env })).stdout
    expect(asKey).toMatch(
      /^caller +an API key of the tier default\ncredit +[\d.]+ USD\nmay call +yes\nexpires +never\nlimits +\d+ to \d+ RPM/,
    )
    expect(asKey).not.toContain(line.apiKey)
    expect((await line.asWallet(['top-up', '5', '--as', 'key'], { env })).stderr).toContain(
      '--as key cannot be used with this command, which is for a wallet.',
    )
  })
})

describe('an API key', () => {
  it('creates another one: only the secret on stdout, or in a file that only its owner can read', async () => {
    const made = await line.asKey([
      'keys',
      'create',
      '--description',
      'night bus',
      '--limit-usd',
      '5',
      '--period',
      'MONTH',
    ])
    expect(made.stdout).toMatch(/^fbx_[\w-]{43}\n$/)
    expect(made.stderr).toMatch(/^INFERENCE key [\da-f-]{36}, shown only once\n$/)
    const limits = await line.farebox(['limits'], { env: { FAREBOX_API_KEY: made.stdout.trim() } })
    expect(limits.stdout).toMatch(/^tier +default\naccess +permitted\nkey expires +never\n/)

    const stored = await line.asKey([
      'keys',
      'create',
      '--type',
      'ADMIN',
      '-o',
      'admin.key',
      '--json',
    ])
    expect(parseJson(stored.stdout)).toMatchObject({ apiKeyType: 'ADMIN', file: 'admin.key' })
    expect(stored.stdout).not.toContain('fbx_')
    expect(statSync(join(line.folder, 'admin.key')).mode & 0o777).toBe(0o600)
  })

  it('that is invalid is rejected with what to check', async () => {
    const rejected = await line.farebox(['limits'], { env: { FAREBOX_API_KEY: 'fbx_wrong' } })
    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Check FAREBOX_API_KEY') as string,
    })
    expect(rejected.stderr).not.toContain('fbx_wrong')
  })

  it('can list its limits and when it reached them', async () => {
    expect((await line.asKey(['limits'])).stdout).toMatch(/tts-kokoro +\d+ RPM/)
    expect(await line.asKey(['limits', '--log'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No limit was reached.\n',
    })
    expect(parseJson((await line.asKey(['limits', '--log', '--json'])).stdout)).toEqual([])
  })
})

describe('anyone', () => {
  it('can list models and voices', async () => {
    expect((await line.farebox(['models', '--type', 'video'])).stdout).toMatch(
      /local-test-clip +video +0\.001 USD a second/,
    )
    expect(parseJson((await line.farebox(['models', 'tts-orpheus'])).stdout)).toMatchObject({
      id: 'tts-orpheus',
      type: 'tts',
    })
    expect((await line.farebox(['voices', '--model', 'tts-kokoro'])).stdout).toMatch(
      /^tts-kokoro +af_sky +default$/m,
    )
    expect(await line.farebox(['models', 'nope'])).toMatchObject({
      code: 1,
      stderr: 'farebox: There is no model "nope". farebox models lists all. (HTTP 404)\n',
    })
  })

  it('can clone a voice, and use it', async () => {
    await line.asKey([
      'speech',
      'This is how I sound, and it takes a while to say all of it, so that it is long enough.',
      '-o',
      'sample.wav',
    ])
    const { stdout, stderr } = await line.asKey(['voices', 'create', 'sample.wav'])
    expect(stdout).toMatch(/^vv_\S+\n$/)
    expect(stderr).toContain('Use it with the model tts-chatterbox-hd.')
    const spoken = await line.asKey([
      'speech',
      'Hello',
      '--model',
      'tts-chatterbox-hd',
      '--voice',
      stdout.trim(),
      '-o',
      'mine.mp3',
    ])
    expect(spoken.code).toBe(0)
    expect(existsSync(join(line.folder, 'mine.mp3'))).toBe(true)
  })

  it('is told what is missing', async () => {
    expect(await line.farebox(['balance'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'Run farebox init, set FAREBOX_PRIVATE_KEY or FAREBOX_API_KEY',
      ) as string,
    })
    expect((await line.asWallet(['limits'])).stderr).toMatch(
      /^farebox: This needs an API key\. Set FAREBOX_API_KEY, or add "apiKey" to /,
    )
    const nowhere = await line.asKey(['balance'], {
      env: { FAREBOX_BASE_URL: 'http://127.0.0.1:9/api/v1' },
    })
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Check --base-url, and that the service is running.',
      ) as string,
    })
  })
})

describe('the output', () => {
  it.runIf(existsSync('/dev/full'))(
    'without disk space is an error that names its file',
    async () => {
      const { code, stderr } = await line.asKey([
        'parse',
        findFixture('fare-table.txt'),
        '-o',
        '/dev/full',
      ])
      expect(code).toBe(1)
      expect(stderr).toMatch(/\/dev\/full could not be written whole \(ENOSPC: [^)]*\)\. Free/)
    },
  )

  it('without disk space is an error, but a closed pipe is not', async () => {
    const { fareboxBin } = await import('../test/farebox-command.js')
    const { runBash } = await import('../test/run-bash.js')
    const shell = (script: string) => runBash(['-o', 'pipefail', '-c', script])
    const full = existsSync('/dev/full') ? '/dev/full' : undefined
    if (full !== undefined)
      expect(shell(`'${process.execPath}' '${fareboxBin}' --help > ${full}`)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('ENOSPC') as string,
      })
    expect(shell(`'${process.execPath}' '${fareboxBin}' completion zsh | head -c 1`)).toMatchObject(
      { status: 0, stderr: '' },
    )
  })
})

it('farebox lists the models of a service that has only the fields of OpenAI, and chats', async () => {
  const chunk = {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'llama',
    choices: [{ index: 0, delta: { content: 'Two euros.' }, finish_reason: 'stop' }],
  }
  const model = { id: 'llama', object: 'model', created: 1, owned_by: 'library' }
  const server = createServer(({ url }, response) => {
    const isChat = url?.endsWith('/chat/completions') === true
    response.setHeader('content-type', isChat ? 'text/event-stream' : 'application/json')
    if (isChat) response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    else if (url?.endsWith('/models/llama')) response.end(JSON.stringify(model))
    else response.end(JSON.stringify({ object: 'list', data: [model] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const env = {
    FAREBOX_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    FAREBOX_API_KEY: 'key-of-the-other-service',
  }
  try {
    expect((await line.farebox(['models'], { env })).stdout).toBe('MODEL  TYPE  PRICE\nllama\n')
    expect((await line.farebox(['voices'], { env })).code).toBe(0)
    expect((await line.farebox(['chat', 'How much?'], { env })).stdout).toBe('Two euros.')
    const speech = ['speech', 'Hello', '-o', 'other.mp3', '--model', 'llama']
    expect((await line.farebox(speech, { env })).stderr).not.toContain('bug')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
