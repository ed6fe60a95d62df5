import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  waitForExit,
  startCommandLine,
  waitForOutput,
  type CommandLine,
} from '../../test/farebox-command.js'

let line: CommandLine
beforeAll(async () => void (line = await startCommandLine()))
afterAll(() => line.close())

const isVideo = (path: string) =>
  readFileSync(join(line.folder, path)).toString('latin1', 4, 8) === 'ftyp'
const listVideos = () => readdirSync(join(line.folder, '.local/state/farebox/videos'))
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const quick = [
  '--model',
  'local-test-clip',
  '--duration',
  '2s',
  '--resolution',
  '256p',
  '--poll',
  '0.1',
]

describe('farebox video', () => {
  it('prints the price and the queue id, waits, and writes the file', async () => {
    const { code, stdout, stderr } = await line.asKey([
      'video',
      'A tram in the rain',
      ...quick,
      '-o',
      'tram.mp4',
      '--json',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      file: 'tram.mp4',
      bytes: statSync(join(line.folder, 'tram.mp4')).size,
      model: 'local-test-clip',
      queueId: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      usd: 0.0005,
    })
    expect(isVideo('tram.mp4')).toBe(true)
    expect(listVideos()).toEqual([])
  })

  it('queues nothing too expensive, and prints a quote', async () => {
    expect(await line.asKey(['video', 'x', '--duration', '5s', '--quote'])).toMatchObject({
      code: 0,
      stdout: '1.5 USD\n',
    })
    const rejected = await line.asKey([
      'video',
      'x',
      '--duration',
      '5s',
      '--max-usd',
      '1.49',
      '-o',
      'dear.mp4',
    ])
    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('price: 1.5 USD\n') as string,
    })
    expect(rejected.stderr).toContain('more than the 1.49 USD of --max-usd. Nothing was queued.')
  })

  deepTest(
    'goes on after Ctrl-C by the queue id alone, with the download URL of the first response',
    async () => {
      const slow = [
        '--model',
        'local-test-clip-private',
        '--duration',
        '10s',
        '--resolution',
        '256p',
        '--poll',
        '600',
      ]
      const child = line.start(['video', 'A tram', ...slow, '-o', 'private.mp4'], {
        env: { FAREBOX_API_KEY: line.apiKey },
      })
      const end = waitForExit(child)
      await waitForOutput(child, 'processing')
      child.kill('SIGINT')
      const { code, stderr } = await end
      const [, queueId = ''] = /queued: (\S+)\n/.exec(stderr) ?? []
      expect(code).toBe(130)
      expect(stderr).toContain(
        `Continue with: farebox video --resume ${queueId} --model local-test-clip-private -o FILE\n`,
      )
      expect(readdirSync(line.folder).filter((name) => name.includes('private'))).toEqual([])
      const [name = ''] = listVideos()
      expect(statSync(join(line.folder, '.local/state/farebox/videos', name)).mode & 0o777).toBe(
        0o600,
      )

      const resumed = await line.asKey([
        'video',
        '--resume',
        queueId,
        '--poll',
        '0.1',
        '-o',
        'private.mp4',
      ])
      expect(resumed.code).toBe(0)
      expect(isVideo('private.mp4')).toBe(true)
      expect(listVideos()).toEqual([])
    },
  )

  it('requires the model for an unknown queue id', async () => {
    expect(await line.asKey(['video', '--resume', 'other', '-o', 'a.mp4'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'Pass the model that it was queued with: --model MODEL.',
      ) as string,
    })
    expect(
      await line.asKey(['video', '--resume', 'other', '--model', 'local-test-clip', '-o', 'a.mp4']),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(HTTP 404)') as string,
    })
  })

  deepTest('shows the policy on faces, and claims no attestation without one', async () => {
    const order = [
      'video',
      'It drives on',
      '--image',
      pixel,
      '--duration',
      '4s',
      '--resolution',
      '480p',
      '--poll',
      '0.1',
      '-o',
      'faces.mp4',
    ]
    const rejected = await line.asKey(order)
    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('repeat the command with --consent') as string,
    })
    expect(rejected.stderr.length).toBeGreaterThan(300)
    const attested = await line.asKey([...order, '--consent'])
    expect(attested.stderr).toContain('Attested by --consent.\n')
    expect(attested.code).toBe(0)
    expect(isVideo('faces.mp4')).toBe(true)
  })

  it('needs something to show, and media that it can name', async () => {
    expect((await line.asKey(['video', '-o', 'a.mp4'])).stderr).toContain(
      'video needs PROMPT, or --resume QUEUE_ID.',
    )
    expect(
      (await line.asKey(['video', 'x', '--image', 'tram.mp4x', '-o', 'a.mp4'])).stderr,
    ).toContain('There is no file "tram.mp4x".')
    expect(
      (await line.asKey(['video', 'x', '--image', join(line.folder, 'nothing'), '-o', 'a.mp4']))
        .code,
    ).toBe(2)
    expect((await line.asKey(['video', 'x', '--duration', '17s', '--quote'])).stderr).toContain(
      '--duration: found "17s", expected one of 2s, ',
    )
  })

  it('queues nothing above the limit without a yes, a price or a terminal', async () => {
    const order = ['video', 'x', '--duration', '5s', '-o', 'dear.mp4']
    expect(await line.asKey(order)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^farebox: This video costs 1\.5 USD\. Above 1 USD/) as string,
    })
    const queue = [...quick, '--no-wait', '--json']
    const env = { FAREBOX_CONFIRM_ABOVE_USD: '0' }
    expect((await line.asKey(['video', 'x', ...queue], { env })).stdout).toBe('')
    expect(listVideos()).toEqual([])
    for (const agreed of [['--yes'], ['--max-usd', '1']])
      expect((await line.asKey(['video', 'x', ...queue, ...agreed], { env })).code).toBe(0)
    expect(listVideos()).toHaveLength(2)
  })

  deepTest('waits with --watch for what --no-wait queued, and downloads it', async () => {
    const { stdout, code } = await line.asKey([
      'video',
      '--watch',
      '--out-dir',
      'videos',
      '--poll',
      '0.1',
      '--jsonl',
    ])
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { readonly file: string; readonly bytes: number })
    expect([code, results.length]).toEqual([0, 2])
    for (const { file, bytes } of results) {
      expect(isVideo(file)).toBe(true)
      expect(statSync(join(line.folder, file)).size).toBe(bytes)
    }
    expect(listVideos()).toEqual([])
    expect(await line.asKey(['video', '--watch'])).toMatchObject({
      code: 0,
      stderr: 'No video is queued on this machine.\n',
    })
    expect((await line.asKey(['video', '--watch', 'x'])).stderr).toContain(
      'cannot be combined with x.',
    )
  })

  it('reports a video that failed once, and waits for it no more', async () => {
    const name = `${createHash('sha256').update('broken').digest('hex')}.json`
    const video = JSON.stringify({ model: 'local-test-clip', queue_id: 'broken' })
    writeFileSync(join(line.folder, '.local/state/farebox/videos', name), video, { mode: 0o600 })
    const service = createServer((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: 'There is no renderer.', code: 'INFERENCE_FAILED' }))
    }).listen(0, '127.0.0.1')
    await once(service, 'listening')
    const env = {
      FAREBOX_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/api/v1`,
    }
    expect(await line.asKey(['video', '--watch'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('✗ broken: There is no renderer. (HTTP 500)') as string,
    })
    service.close()
    expect(listVideos()).toEqual([])
  })
})
