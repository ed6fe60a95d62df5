import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../run.js'
import { createSigner } from '../settings/signer.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const path = join(folder, '.config/farebox/config.json')
beforeEach(() => rmSync(path, { force: true }))

type PromptInput = {
  readonly typed?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the command as a user without a service. `typed` answers the questions at a terminal. */
async function runFarebox(args: readonly string[], { typed, env = {} }: PromptInput = {}) {
  const isTTY = typed !== undefined
  const [input, out, err] = [
    Object.assign(new PassThrough(), { isTTY }),
    new PassThrough(),
    Object.assign(new PassThrough(), { isTTY }),
  ]
  let shown = ''
  const left = [...(typed ?? [])]
  err.on('data', (part: Buffer) => {
    shown += part.toString()
    // of what is written, only questions have this
    if (part.includes(': ') && left.length > 0) input.write(`${left.shift()}\n`)
  })
  if (!isTTY) input.end()
  const code = await run(args, {
    environment: { HOME: folder, ...env },
    streams: { in: input, out, err },
    signal: new AbortController().signal,
  })
  return { code, out: String(out.read() ?? ''), err: shown }
}

const readConfig = () => JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, string>>
const service = ['--base-url', 'https://api.example/api/v1']
const key = `0x${'11'.repeat(32)}`

describe('farebox init', () => {
  it('creates a configuration with a wallet that only its user can read, and shows no secret', async () => {
    const { code, out, err } = await runFarebox(['init', ...service, '--new-wallet'])
    const { privateKey = '', ...others } = readConfig()
    expect([code, others]).toEqual([0, { baseUrl: 'https://api.example/api/v1' }])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(out).toContain(createSigner(privateKey).address)
    expect(out).toContain('farebox top-up 5')
    expect(out + err).not.toContain(privateKey)
  })

  it("reads the user's key or wallet from a file", async () => {
    writeFileSync(join(folder, 'tram.key'), 'fbx_of_the_tram\n')
    const { code, out } = await runFarebox([
      'init',
      ...service,
      '--key-file',
      join(folder, 'tram.key'),
      '--json',
    ])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      credential: 'key',
      next: ['farebox whoami --check', 'farebox whoami', expect.any(String) as string],
    })
    expect(readConfig()).toMatchObject({ apiKey: 'fbx_of_the_tram' })
    expect(out).not.toContain('fbx_of_the_tram')
  })

  it('overwrites nothing', async () => {
    await runFarebox(['init', ...service, '--new-wallet'])
    const before = readFileSync(path, 'utf8')
    const again = await runFarebox(['init', ...service, '--new-wallet'])
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${path} already exists, and is not overwritten.`) as string,
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  it('names the options without a terminal, and rejects two callers', async () => {
    expect(await runFarebox(['init'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'Pass --base-url URL, and one of --new-wallet, --wallet-file FILE and --key-file FILE.',
      ) as string,
    })
    expect(
      (await runFarebox(['init', '--base-url', 'https://api.example', '--new-wallet'])).err,
    ).toContain('Did you mean https://api.example/api/v1?')
    expect(
      (await runFarebox(['init', ...service, '--new-wallet', '--key-file', 'x'])).err,
    ).toContain('--new-wallet and --key-file cannot be combined')
    writeFileSync(join(folder, 'no.wallet'), '0x12')
    const rejected = await runFarebox([
      'init',
      ...service,
      '--wallet-file',
      join(folder, 'no.wallet'),
    ])
    expect(rejected).toMatchObject({
      code: 2,
      err: expect.stringContaining('The private key is not valid') as string,
    })
    expect(() => readConfig()).toThrow('ENOENT')
  })

  it('prompts on a terminal, and does not echo the key', async () => {
    const { code, out, err } = await runFarebox(['init'], { typed: ['', 'wallet', key] })
    expect([code, out.split('\n').length]).toEqual([0, 9])
    expect(err).toContain('The base URL of the service [http://127.0.0.1:4020/api/v1]: ')
    expect(readConfig()).toEqual({ baseUrl: 'http://127.0.0.1:4020/api/v1', privateKey: key })
    expect(out).toContain('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A')
    expect(out + err).not.toContain('1111')
  })
})

describe('farebox wallet', () => {
  it.each([
    ['evm', /^0x[\da-f]{64}\n$/],
    ['solana', /^[1-9A-HJ-NP-Za-km-z]{86,88}\n$/],
  ])(
    'writes the secret of a new wallet (%s) into a file for its user alone, and prints it only when asked',
    async (chain, form) => {
      const file = join(folder, `${chain}.wallet`)
      const made = await runFarebox(['wallet', 'new', '--chain', chain, '-o', file, '--json'])
      const secret = readFileSync(file, 'utf8')
      expect(secret).toMatch(form)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(JSON.parse(made.out)).toEqual({
        address: createSigner(secret.trim()).address,
        chain,
        file,
      })
      expect((await runFarebox(['wallet', 'new', '-o', file])).err).toContain('is not overwritten')
      expect(readFileSync(file, 'utf8')).toBe(secret)
      const printed = await runFarebox(['wallet', 'new', '--chain', chain, '--print'])
      expect(printed.out).toMatch(form)
      expect(printed.err).toContain(createSigner(printed.out.trim()).address)
    },
  )

  it('completes a configuration without a wallet, and keeps the rest of it', async () => {
    await runFarebox(['init', ...service, '--key-file', join(folder, 'tram.key')])
    expect((await runFarebox(['wallet', 'new'])).code).toBe(0)
    expect(readConfig()).toMatchObject({
      baseUrl: 'https://api.example/api/v1',
      apiKey: 'fbx_of_the_tram',
      privateKey: expect.any(String) as string,
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await runFarebox(['wallet', 'new'])).err).toContain('already has a wallet')
  })

  it('shows the address and where the secret is, and the secret only when asked', async () => {
    const env = { FAREBOX_PRIVATE_KEY: key }
    const shown = await runFarebox(['wallet', 'show'], { env })
    expect(shown.out).toBe(
      'address    0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A\nchain      evm\nsecret in  FAREBOX_PRIVATE_KEY\n',
    )
    expect((await runFarebox(['wallet', 'show', '--secret'], { env })).out).toBe(`${key}\n`)
    expect((await runFarebox(['wallet', 'show'])).err).toContain(
      'Create one with farebox wallet new.',
    )
  })
})
