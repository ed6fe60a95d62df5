import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startCommandLine, type CommandLine } from '../../test/farebox-command.js'

let line: CommandLine
beforeAll(async () => void (line = await startCommandLine()))
afterAll(() => line.close())

describe('farebox verify', () => {
  it('reports each check, and needs nothing but the base URL', async () => {
    const { code, stdout, stderr } = await line.farebox(['verify'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'verifying\n' })
    expect(stdout).toContain('ok       access.solana  a Solana wallet signs in\n')
    expect(stdout).toContain(
      'skipped  top-up.paid  one signed payment is credited once, however often it is sent: it makes a payment; use --top-up 5 to run it\n',
    )
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d+ passed, 0 failed, 2\d skipped: http/)
  })

  it('exits with 1 when a check fails, with what was expected and found as JSON', async () => {
    const baseUrl = await startEmptyService()
    const { code, stdout } = await line.farebox(['verify', '--json', '--base-url', baseUrl])
    expect(code).toBe(1)
    const report = JSON.parse(stdout) as {
      readonly passed: number
      readonly checks: readonly { readonly id: string }[]
    }
    expect(report).toMatchObject({ baseUrl, passed: 0 })
    expect(report.checks.find(({ id }) => id === 'models.unknown')).toMatchObject({
      status: 'failed',
      expected: 'GET /models/{id} to respond with 404',
      found: '200 {"data": []}',
      rule: 'GET /models, GET /models/{id}',
    })
  })

  it('has no verdict if nothing responds or nothing is paid', async () => {
    expect(await line.farebox(['verify', '--base-url', 'http://127.0.0.1:9/api/v1'])).toMatchObject(
      {
        code: 1,
        stderr:
          'farebox: Nothing responds at http://127.0.0.1:9/api/v1. Check --base-url, and that the service is running.\n',
      },
    )
    expect((await line.farebox(['verify', '--spend', '1'])).stderr).toContain(
      '--spend needs a payer.',
    )
    expect(
      (await line.farebox(['verify', '--base-url', 'http://127.0.0.1:4020'])).stderr,
    ).toContain('Did you mean http://127.0.0.1:4020/api/v1?')
  })

  it('spends no more than it may', async () => {
    const { stdout } = await line.asKey([
      'verify',
      '--spend',
      '0.005',
      '--base-url',
      await startEmptyService(),
    ])
    expect(stdout).toContain(': it costs 0.01 USD, and 0.005000 USD are left to spend\n')
  })
})

/** A service that responds to everything with an empty list. */
async function startEmptyService(): Promise<string> {
  const other = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": []}'),
  )
  onTestFinished(() => void other.close())
  await once(other.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}/api/v1`
}
