import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCommandLine, type CommandLine } from '../../test/farebox-command.js'

let line: CommandLine
beforeAll(async () => void (line = await startCommandLine()))
afterAll(() => line.close())

describe('farebox verify-x402', () => {
  it('needs a URL, at which something answers', async () => {
    const run = async (...args: string[]) => line.farebox(['verify-x402', ...args])
    expect(await run('api.example.com')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'expected one such as https://api.example.com/paid',
      ) as string,
    })
    expect(await run('http://127.0.0.1:9/')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing responds at http://127.0.0.1:9/') as string,
    })
    expect((await run('http://127.0.0.1:9/', 'more')).stderr).toContain('takes one URL')
  })

  it('reports what a service that takes no payments lacks, as JSON', async () => {
    const url = `${line.baseUrl}/models`
    const { code, stdout } = await line.farebox(['verify-x402', url, '--json'])
    expect(code).toBe(1)
    const report = JSON.parse(stdout) as { readonly checks: readonly object[] }
    expect(report).toMatchObject({ url, passed: expect.any(Number) as number })
    expect(report.checks[0]).toMatchObject({
      id: 'discovery.status',
      status: 'failed',
      expected: '402',
      found: '200',
    })
  })

  it('runs a client, and ends with 1 where it does not pay', async () => {
    const missing = fileURLToPath(new URL('no-client.mjs', import.meta.url))
    const args = ['verify-x402', '--client', '--', process.execPath, missing]
    const { code, stdout } = await line.farebox(args)
    expect(code).toBe(1)
    expect(stdout).toContain('FAILED   pays.version-2  pays an offer')
    expect(stdout).toContain(missing)
  })
})
