import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { deepTest } from '@farebox/testing/rounds'
import { afterAll, describe, expect, it } from 'vitest'
import { createDemoCommand } from '../../test/demo-command.js'
import { waitForExit } from '../../test/farebox-command.js'

const { folder, start, close } = createDemoCommand()
afterAll(close)

describe('farebox demo', () => {
  it('prints one JSON value with --json, and keeps its folder with --keep', async () => {
    const { code, stdout, stderr } = await waitForExit(start(['--no-page', '--json', '--keep']))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const result = JSON.parse(stdout) as { readonly folder: string; readonly spentUsd: number }
    expect(String(result.spentUsd)).toMatch(/^0\.\d{1,6}$/)
    expect(result).toMatchObject({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/) as string,
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string,
      paidUsd: 5,
    })
    expect(readdirSync(result.folder).toSorted()).toEqual(['demo.mp3', 'ledger'])
    rmSync(result.folder, { recursive: true })
  })

  it('names a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await waitForExit(start(['--port', String(port)]))
    other.close()
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `farebox: Port ${port} of 127.0.0.1 is in use. Use another --port, or omit it for a free one.\n`,
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('names a folder that cannot be made, and the remedy', async () => {
    const missing = join(folder, 'missing')
    const { code, stdout, stderr } = await waitForExit(start([], missing))
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ Start the service/)
    expect(stderr).toMatch(
      /missing.farebox-demo-\S+ cannot be made\. Set TMPDIR to a folder that can be written, and try again\.\n$/,
    )
    expect(existsSync(missing)).toBe(false)
  })

  deepTest('ends with Ctrl-C while it starts, and leaves no file behind', async () => {
    const child = start([])
    const end = waitForExit(child)
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    expect(await end).toMatchObject({ code: 130, stderr: 'farebox: Interrupted.\n' })
    expect(readdirSync(folder)).toEqual([])
  })
})
