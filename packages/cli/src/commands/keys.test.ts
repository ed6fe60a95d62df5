import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommandLine, type CommandLine } from '../../test/farebox-command.js'

let line: CommandLine
beforeAll(async () => void (line = await startCommandLine()))
afterAll(() => line.close())

const run = (...args: readonly string[]) => line.farebox(['keys', ...args], { env: line.operator })
const parseJson = (text: string) =>
  JSON.parse(text) as Readonly<Record<'id' | 'secret' | 'apiKey', string>>
const createKey = async (...args: readonly string[]) => {
  const { stdout } = await run('create', '--account', 'key:tram', '--json', ...args)
  return parseJson(stdout)
}
const listModels = (key: string) =>
  line.farebox(['models', '--json'], { env: { FAREBOX_API_KEY: key } })

describe('farebox keys, as the operator', () => {
  it('manages a key from creation to revocation, with immediate effect', async () => {
    const { id, secret } = await createKey(
      '--limit-usd',
      '5',
      '--period',
      'MONTH',
      '--description',
      'night bus',
    )
    expect((await listModels(secret)).code).toBe(0)
    expect((await run('list', '--account', 'key:tram')).stdout).toMatch(
      new RegExp(
        `^ID +ACCOUNT.*\n${id}  key:tram  INFERENCE  active +\\d{4}-\\S+Z  5 USD \\(MONTH\\)  night bus\n$`,
      ),
    )
    expect(
      (await run('limit', id, '--no-limit', '--expires', '2099-01-01T00:00:00Z')).stdout,
    ).toMatch(/limit +none\n.*expires +2099-01-01T/s)
    expect((await run('limit', id, '--no-expiry')).stdout).not.toContain('expires')

    expect(await run('rotate', id, '-o', 'bus.key')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `a new secret of key ${id}, in bus.key\n`,
    })
    const file = join(line.folder, 'bus.key')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const second = readFileSync(file, 'utf8').trim()
    expect([(await listModels(secret)).code, (await listModels(second)).code]).toEqual([1, 0])

    expect((await run('revoke', id)).stdout).toMatch(/state +revoked\n/)
    expect(await listModels(second)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The API key was revoked.') as string,
    })
    expect(parseJson((await run('show', id, '--json')).stdout)).toMatchObject({
      id,
      state: 'revoked',
      description: 'night bus',
    })
    expect(await run('rotate', id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The key is revoked and cannot be changed.') as string,
    })
  })

  it('prints a secret with -o -, as it does without', async () => {
    const { id } = await createKey()
    const { code, stdout } = await run('rotate', id, '-o', '-')
    expect([code, (await listModels(stdout.trim())).code]).toEqual([0, 0])
    expect(readdirSync(line.folder)).not.toContain('-')
  })

  it('shows what a key spent', async () => {
    const { stdout } = await line.asKey(['keys', 'create', '--json'])
    const { id, apiKey } = parseJson(stdout)
    expect(
      (
        await line.farebox(['parse', '-'], {
          env: { FAREBOX_API_KEY: apiKey },
          input: 'Tram fares',
        })
      ).code,
    ).toBe(0)
    expect((await run('usage', id)).stdout).toMatch(
      /^DAY +MODEL.*\n\d{4}-\d\d-\d\d +text-parser +1 +0 +0\.010000  0\.000000\n$/,
    )
  })

  it('follows keys with the ADMIN key that they come from, without the operator', async () => {
    const parent = parseJson(
      (await line.asKey(['keys', 'create', '--type', 'ADMIN', '--json'])).stdout,
    )
    const own = (...args: readonly string[]) =>
      line.farebox(['keys', ...args], { env: { FAREBOX_API_KEY: parent.apiKey } })
    const { id, apiKey } = parseJson(
      (await own('create', '--limit-usd', '5', '--description', 'night bus', '--json')).stdout,
    )
    const listed = (await own('list')).stdout
    expect(listed.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^ID +TYPE +STATE/),
      expect.stringMatching(
        new RegExp(`^${id}  INFERENCE  active +never +5 USD \\(EPOCH\\)  night bus$`),
      ),
    ])
    expect(listed).toContain(parent.id)
    expect((await own('limit', id, '--limit-usd', '2', '--period', 'MONTH')).stdout).toMatch(
      /limit +2 USD \(MONTH\)/,
    )
    const second = (await own('rotate', id)).stdout.trim()
    expect([(await listModels(apiKey)).code, (await listModels(second)).code]).toEqual([1, 0])
    expect((await own('revoke', id)).stdout).toMatch(/state +revoked\n/)
    expect((await own('show', id, '--json')).stdout).toContain('"state": "revoked"')
    // the operator's key does not stand in the way of --as key
    const env = { ...line.operator, FAREBOX_API_KEY: parent.apiKey }
    expect((await line.farebox(['keys', 'list', '--as', 'key'], { env })).stdout).toBe(
      (await own('list')).stdout,
    )
  })

  it.each([
    [['list'], {}, 2, 'FAREBOX_API_KEY'],
    [['usage', 'x'], {}, 2, 'There is no operator key. Set FAREBOX_OPERATOR_KEY'],
    [
      ['list', '--account', 'key:tram'],
      { FAREBOX_API_KEY: 'k' },
      2,
      '--account is for the operator',
    ],
    [
      ['list'],
      { FAREBOX_OPERATOR_KEY: 'k', FAREBOX_OPERATOR_URL: 'http://203.0.113.1' },
      2,
      'plain HTTP to another machine',
    ],
    [
      ['list'],
      { FAREBOX_OPERATOR_KEY: 'k', FAREBOX_OPERATOR_URL: 'https://user:s3cret@x' },
      2,
      'contains a user name or a password',
    ],
    [
      ['list'],
      { FAREBOX_OPERATOR_KEY: 'k', FAREBOX_OPERATOR_URL: 'http://127.0.0.1:1' },
      1,
      'Start the service with --operator-port',
    ],
    [['limit', 'x'], { FAREBOX_OPERATOR_KEY: 'k' }, 2, 'Nothing to change'],
    [['rotate', 'x', '--grace', '-1'], { FAREBOX_OPERATOR_KEY: 'k' }, 2, '--grace: found "-1"'],
  ])('explains what is wrong with %j and %j', async (args, env, code, message) => {
    const ended = await line.farebox(['keys', ...args], { env })
    expect(ended).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(message) as string,
    })
    expect(ended.stderr).not.toContain('s3cret')
  })

  it('is rejected with any other key, and quotes none', async () => {
    const env = { ...line.operator, FAREBOX_OPERATOR_KEY: line.apiKey }
    const rejected = await line.farebox(['keys', 'list', '--json'], { env })
    expect(parseJson(rejected.stderr)).toMatchObject({ error: { code: 'unauthorized' } })
    expect(rejected.stderr).not.toContain(line.apiKey)
  })
})
