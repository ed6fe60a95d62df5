import type { ChildProcess } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCommand, waitForAddress } from '../../test/command.js'
import { startFakeFacilitator, type FakeFacilitator } from '../../test/fake-facilitator.js'
import { createWallet, payee, signPaymentHeader } from '../../test/harness.js'

let folder: string
let facilitator: FakeFacilitator
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-facilitator-'))
  facilitator = await startFakeFacilitator()
})
afterAll(async () => {
  await facilitator.close()
  await rm(folder, { recursive: true, force: true })
})

const { start, run, runHere, killAll } = createCommand()
afterEach(killAll)

const topUp = async (origin: string, header: string) => {
  const response = await fetch(`${origin}/api/v1/x402/top-up`, {
    method: 'POST',
    headers: { 'payment-signature': header },
  })
  return { status: response.status, json: (await response.json()) as unknown }
}

/** All that a process prints. */
function listen(child: ChildProcess, output: string[]): void {
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
}

describe('farebox-service --facilitator', () => {
  it('retries a settlement after it was killed during one, and credits the payment once', async () => {
    const keyFile = join(folder, 'key')
    await writeFile(keyFile, 'key_in_a_file\n', { mode: 0o600 })
    const args = [
      '--port',
      '0',
      '--data',
      join(folder, 'ledger'),
      '--facilitator',
      facilitator.url,
      '--facilitator-key-file',
      keyFile,
      '--pay-to',
      payee,
    ]
    const output: string[] = []
    const wallet = createWallet()
    const header = await signPaymentHeader(wallet, Date.now())

    facilitator.script.push('stall')
    const first = start(...args)
    listen(first, output)
    const lost = topUp(await waitForAddress(first), header).catch(() => 'lost')
    await facilitator.calls('/settle', 1)
    first.kill('SIGKILL')
    expect(await lost).toBe('lost')

    const second = start(...args)
    listen(second, output)
    const origin = await waitForAddress(second)
    const responses = [await topUp(origin, header), await topUp(origin, header)]
    expect(responses).toMatchObject(
      Array.from({ length: 2 }, () => ({
        status: 200,
        json: { data: { amountCredited: 5, newBalance: 5 } },
      })),
    )
    expect(new Set(facilitator.asked.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer key_in_a_file']),
    )
    expect(facilitator.asked.map(({ path }) => path)).toEqual([
      '/supported',
      '/verify',
      '/settle',
      '/supported',
      '/settle',
    ])
    expect(facilitator.landed.size).toBe(1)
    second.kill('SIGTERM')
    await once(second, 'exit')
    expect(await run('audit', '--data', join(folder, 'ledger'))).toMatchObject({ code: 0 })
    expect(output.join('')).toContain('money moves')
    expect(output.join('')).not.toContain('key_in_a_file')
  })

  it.skipIf(process.platform === 'win32')(
    'rejects a key file that others can read, and a missing one',
    async () => {
      const open = join(folder, 'open')
      await writeFile(open, 'key_in_a_file')
      await chmod(open, 0o644)
      for (const [file, why] of [
        [open, 'can be read by others'],
        [join(folder, 'none'), 'cannot be read'],
      ] as const) {
        const { code, stderr } = await runHere(
          '--port',
          '0',
          '--data',
          join(folder, 'none'),
          '--facilitator',
          facilitator.url,
          '--facilitator-key-file',
          file,
          '--pay-to',
          payee,
        )
        expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
      }
    },
  )
})
