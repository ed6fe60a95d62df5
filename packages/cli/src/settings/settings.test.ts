import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Arguments } from '../command.js'
import { readService } from '../calls/connect.js'
import { readSettings, findSettingsPath } from './settings.js'
import { createSigner } from './signer.js'

const home = mkdtempSync(join(tmpdir(), 'farebox-settings-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const file = join(home, '.config/farebox/config.json')
const write = (text: string, mode = 0o600) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
}
const read = (environment: Readonly<Record<string, string>> = {}) =>
  readSettings({ HOME: home, ...environment })

describe('readSettings', () => {
  it('takes the file where the environment says nothing, and nothing where there is none', async () => {
    rmSync(file, { force: true })
    expect(await read()).toEqual({})
    write('{"baseUrl": "http://a/api/v1", "apiKey": "of the file"}')
    expect(await read()).toEqual({ baseUrl: 'http://a/api/v1', apiKey: 'of the file' })
    expect(await read({ FAREBOX_API_KEY: 'of the environment', FAREBOX_PRIVATE_KEY: '' })).toEqual({
      baseUrl: 'http://a/api/v1',
      apiKey: 'of the environment',
    })
  })

  it('takes the limit of prices as a number or a text', async () => {
    write('{"confirmAboveUsd": 0.5}')
    expect(await read()).toEqual({ confirmAboveUsd: '0.5' })
    expect(await read({ FAREBOX_CONFIRM_ABOVE_USD: '2' })).toEqual({ confirmAboveUsd: '2' })
  })

  it.each([0o644, 0o640, 0o620, 0o604, 0o700 | 0o001])(
    'rejects the mode %o and says how to mend it',
    async (mode) => {
      write('{"apiKey": "fbx_secret"}', mode)
      const error: unknown = await read().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        name: 'UsageError',
        message: `The configuration ${file} has the mode 0${mode.toString(8)}, so other users can access its credentials; expected 0600. Run: chmod 600 ${file}`,
      })
    },
  )

  it.each([
    ['{"apiKey": "fbx_secret"', 'is not JSON'],
    ['["fbx_secret"]', 'is not a JSON object'],
    [
      '{"apikey": "fbx_secret"}',
      'has the member "apikey"; expected baseUrl, apiKey, privateKey, serviceName, operatorUrl, operatorKey, allowInsecureHttp, confirmAboveUsd.',
    ],
    ['{"apiKey": ["fbx_secret"]}', 'apiKey is not valid'],
  ])('rejects %s without repeating it', async (text, saying) => {
    write(text)
    const error: unknown = await read().catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(saying)
    expect(String(error)).not.toContain('fbx_secret')
  })

  it('rejects a file that was named and is not there', async () => {
    await expect(readSettings({ HOME: home }, join(home, 'none.json'))).rejects.toThrow(
      'none.json does not exist',
    )
    await expect(read({ FAREBOX_CONFIG: join(home, 'none.json') })).rejects.toThrow(
      'none.json does not exist',
    )
  })

  it('looks where the environment says', () => {
    expect(findSettingsPath({ HOME: '/h' })).toBe(join('/h', '.config', 'farebox', 'config.json'))
    expect(findSettingsPath({ HOME: '/h', XDG_CONFIG_HOME: '/x' })).toBe(
      join('/x', 'farebox', 'config.json'),
    )
    expect(findSettingsPath({ HOME: '/h', FAREBOX_CONFIG: '/c.json' })).toBe('/c.json')
    expect(findSettingsPath({ FAREBOX_CONFIG: '/c.json' }, '/given.json')).toBe('/given.json')
  })
})

describe('createSigner', () => {
  it('tells the chain by the form of the key', () => {
    expect(createSigner(`0x${'11'.repeat(32)}`)).toMatchObject({
      kind: 'evm',
      address: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    })
    expect(createSigner('11111111111111111111111111111112').kind).toBe('solana')
  })

  it('rejects what is no key without repeating it', () => {
    for (const key of ['0x1234', 'not base58: 0OIl', 'zzzz']) {
      expect(() => createSigner(key), key).toThrow('The private key is not valid')
      expect(() => createSigner(key)).not.toThrow(key)
    }
  })
})

describe('readService', () => {
  const args = (flags: readonly string[]) => ({
    arguments: {
      text: () => undefined,
      number: () => undefined,
      has: (name: string) => flags.includes(name),
    } as unknown as Arguments,
  })

  it('allows plain HTTP to this machine, and to others only when told', () => {
    const baseUrl = 'http://api.example/api/v1'
    expect(() => readService(args([]), { baseUrl })).toThrow(
      'plain HTTP to another machine, which exposes credentials to the network. Use https, or pass',
    )
    expect(() => readService(args([]), { baseUrl, allowInsecureHttp: 'false' })).toThrow(
      'plain HTTP',
    )
    expect(readService(args(['allow-insecure-http']), { baseUrl })).toEqual({
      baseUrl,
      allowInsecureHttp: true,
    })
    expect(readService(args([]), { baseUrl, allowInsecureHttp: 'true' })).toEqual({
      baseUrl,
      allowInsecureHttp: true,
    })
    for (const safe of ['http://127.0.0.1:4020/api/v1', 'https://api.example/api/v1']) {
      expect(readService(args([]), { baseUrl: safe })).toEqual({
        baseUrl: safe,
        allowInsecureHttp: false,
      })
    }
  })
})
