import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, startListening } from '@farebox/testing/start-listening'
import { deepTest, sampleCases } from '@farebox/testing/rounds'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { commandKey, createCommand, waitForAddress } from '../../test/command.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-cli-'))
  await writeFile(join(folder, 'file'), '')
  await mkdir(join(folder, 'damaged', 'pglite', 'base'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const { start, run, runHere, killAll } = createCommand(() => folder)
afterEach(killAll)

/** For the cases that any database will do for: one takes as long to make as to start. */
const getCommonFolder = () => join(folder, 'common')

const facilitator = [
  '--facilitator',
  'https://x.example',
  '--pay-to',
  '0x1111111111111111111111111111111111111111',
]

describe('farebox-service', () => {
  it('prints its help and version', async () => {
    expect((await runHere('--help')).stdout).toContain('--admin-key')
    expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('exits with 2 and a message for an invalid command line', async () => {
    expect(await run('--nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Unknown option '--nope'") as string,
    })
    expect(await runHere('--facilitator', 'https://x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('found no recipient of the payments') as string,
    })
  })

  /** For a command that serves, unless it fails. */
  const choosePort = ([first = '']: readonly string[]) =>
    first.startsWith('--') ? ['--port', '0'] : []

  /** The first line says it, and a wrong command line gets the advice for it. */
  const expectSentence = (
    ended: Awaited<ReturnType<typeof run>>,
    code: number,
    sentence: string,
  ) => {
    expect(ended).toMatchObject({ code, stdout: '' })
    const [first, ...rest] = ended.stderr.trimEnd().split('\n')
    expect(first).toMatch(/^farebox-service: /)
    expect(first).toContain(sentence)
    expect(rest).toEqual(code === 2 ? ['Run farebox-service --help for all options.'] : [])
    expect(ended.stderr).not.toContain('s3cret')
  }

  it.each(
    sampleCases([
      [
        'a data folder that is a file',
        1,
        ['--data', 'file'],
        'The data folder file cannot be used: there is a file of that name.',
      ],
      [
        'a damaged database',
        1,
        ['--data', 'damaged'],
        'The database in the data folder damaged cannot be opened: ',
      ],
      [
        'an anchor in no folder',
        1,
        ['--audit-anchor', 'none/anchor'],
        '--audit-anchor: none/anchor cannot be written (',
      ],
    ]),
  )(
    'explains %s in one sentence without a stack, and exits',
    async (_what, code, args, sentence) => {
      expectSentence(await run(...args, ...choosePort(args)), code, sentence)
    },
  )

  it.each(
    sampleCases([
      [
        'a database that nobody serves',
        1,
        ['--database-url', 'postgres://u@127.0.0.1:1/x'],
        'The database x at 127.0.0.1:1 cannot be',
      ],
      [
        'an address that is not ours',
        1,
        ['--no-wallets', '--host', '203.0.113.1', '--data', 'common'],
        'Cannot listen at 203.0.113.1:0',
      ],
      ['a payee that is nobody', 2, ['--pay-to', `0x${'0'.repeat(40)}`], '--pay-to: found "0x0000'],
      ['a data folder below a file', 1, ['--data', 'file/x'], 'a part of its path is a file.'],
      [
        'an audit of a folder without a database',
        1,
        ['audit', '--data', 'typo'],
        'The folder typo has no database. Give the one of the service with --data',
      ],
      [
        'keys of a folder without a database',
        1,
        ['keys', 'list', '--data', 'typo'],
        'The folder typo has no database.',
      ],
      [
        'a password among the flags',
        2,
        ['--database-url', 'postgres://u:s3cret@127.0.0.1:1/x'],
        'Set FAREBOX_DATABASE_URL to the URL',
      ],
      [
        'a key among the flags',
        2,
        ['--admin-key', 's3cret'],
        '--admin-key is not an option: everybody who runs ps would read the credential.',
      ],
      [
        'a key file that is not there',
        2,
        [...facilitator, '--facilitator-key-file', 'none'],
        'The key file none cannot be read.',
      ],
      [
        'a key file that is a folder',
        2,
        [...facilitator, '--facilitator-key-file', 'damaged'],
        'The key file damaged can',
      ],
      [
        'an address for others',
        2,
        ['--host', '0.0.0.0'],
        'The service listens at 0.0.0.0, and payments are not settled',
      ],
      [
        'a public origin',
        2,
        ['--origin', 'https://api.example.com'],
        'Give --facilitator URL, --no-wallets (API keys only)',
      ],
      [
        'a file of upstreams that is empty',
        2,
        ['--upstreams', 'file'],
        'file:1: found nothing, expected an object.',
      ],
      [
        'a name that no index holds',
        2,
        ['keys', 'create', '--account', 'a'.repeat(101)],
        '--account: found 101 characters, expected at most 100.',
      ],
    ]),
  )('explains %s in one sentence without a stack', async (_what, code, args, sentence) => {
    expectSentence(await runHere(...args, ...choosePort(args)), code, sentence)
  })

  deepTest(
    'accepts no connection before it is ready, so that a balancer asks another process',
    async () => {
      // its database accepts connections and never responds
      const database = createTcpServer((socket) => void socket.on('error', () => undefined))
      const { port: databasePort } = new URL(await startListening(database))
      const connected = once(database, 'connection')
      const port = String(await findFreePort())
      start('--port', port, '--database-url', `postgres://tram@127.0.0.1:${databasePort}/tram`)
      await connected
      await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
      await killAll()
      database.close()
    },
  )

  deepTest(
    'finishes what is under way on SIGTERM, keeps its folder to itself, and takes a file of any size to its limit',
    async () => {
      const data = getCommonFolder()
      const child = start('--port', '0', '--data', data)
      const origin = await waitForAddress(child)
      const second = await runHere('--port', '0', '--data', data)
      expect(second).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`in use by process ${child.pid}`) as string,
      })

      const { port } = new URL(origin)
      const third = await runHere('--port', port, '--data', join(folder, 'killed'))
      expect(third).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Port ${port} of 127.0.0.1 is in use.`) as string,
      })

      const large = new FormData()
      large.append('file', new Blob([new Uint8Array(25 * 1024 * 1024 + 1).fill(0x61)]), 'a.txt')
      const headers = { authorization: `Bearer ${commandKey}` }
      const rejected = await fetch(`${origin}/api/v1/augment/text-parser`, {
        method: 'POST',
        body: large,
        headers,
      })
      expect([rejected.status, await rejected.json()]).toMatchObject([
        413,
        { code: 'PAYLOAD_TOO_LARGE' },
      ])

      const exit = once(child, 'exit')
      const form = [
        '--b',
        'Content-Disposition: form-data; name="file"; filename="a"',
        '',
        'Tram fares',
        '--b--',
        '',
      ].join('\r\n')
      const last = request(`${origin}/api/v1/augment/text-parser`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'multipart/form-data; boundary=b',
          expect: '100-continue',
        },
      })
      last.flushHeaders()
      // now the service has the request and waits for its body
      await once(last, 'continue')
      child.kill('SIGTERM')
      last.end(form)
      const [response] = (await once(last, 'response')) as [IncomingMessage]
      expect(response.resume().statusCode).toBe(200)
      expect(await exit).toEqual([0, null])
    },
  )

  it('writes only JSON lines without secrets to stderr, and closes the connection of a truncated body', async () => {
    const upstream = createServer((incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'audio/pcm' })
      outgoing.write(Buffer.alloc(50_000), () => setImmediate(() => incoming.socket.destroy()))
    })
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
    const publicOrigin = ['--origin', 'http://localhost:8080']
    const flags = [...publicOrigin, '--speech-upstream', url]
    const child = start('--port', '0', '--data', getCommonFolder(), ...flags)
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.on('data', (chunk: Buffer) => (output[name] += chunk.toString()))
    const origin = await waitForAddress(child)
    const authorization = `Bearer ${commandKey}`
    const models = await fetch(`${origin}/api/v1/models?secret=s3cret`, {
      headers: { authorization, cookie: 's3cret' },
    })
    await models.arrayBuffer()

    const body = JSON.stringify({ input: 'Mind the gap', response_format: 'pcm', streaming: true })
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${origin}/api/v1/audio/speech`, { method: 'POST', body, headers })
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow('terminated')
    child.kill('SIGTERM')
    await once(child, 'close')
    upstream.close()
    const lines = output.stderr.trimEnd().split('\n')
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(records.map(({ message }) => message)).toEqual([
      'ready',
      'request',
      'request',
      'trouble',
      'stopping',
      'stopped',
    ])
    expect(records[1]).toMatchObject({
      level: 'info',
      operation: 'listModels',
      status: 200,
      caller: 'key',
      method: 'GET',
    })
    expect(output.stderr).not.toMatch(new RegExp(`s3cret|${commandKey}`))
    expect(output.stdout.trimEnd().split('\n')).toHaveLength(2)
  })
})
