import { EventEmitter, once } from 'node:events'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { commandKey, createCommand, waitForAddress, parseFor } from '../../test/command.js'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'farebox-cli-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

const { start, run, runHere, killAll } = createCommand(() => folder)
afterEach(killAll)

describe('farebox-service', () => {
  it('survives kill -9 under load: every confirmed charge is in the ledger, and the ledger is consistent', async () => {
    const data = join(folder, 'killed')
    let answered = 0
    const kills = 2
    for (let round = 1; round <= kills; round++) {
      const child = start('--port', '0', '--data', data)
      const origin = await waitForAddress(child)
      const client = async () => {
        for (;;) {
          const status = await parseFor(origin).catch(() => undefined)
          if (status !== 200) return
          // the others are in the middle of theirs
          if (++answered === 10 * round) child.kill('SIGKILL')
        }
      }
      await Promise.all([client(), client(), client(), client()])
    }

    const { openPglite } = await import('../platform/database/pglite.js')
    const { createLedger } = await import('../domain/ledger/ledger.js')
    const database = await openPglite(data)
    const ledger = createLedger(database, { now: Date.now, id: () => 'unused' })
    const balance = await ledger.balance('key:admin')
    const charges = Number((100_000_000n - balance) / 10_000n)
    expect(answered).toBeGreaterThanOrEqual(10 * kills)
    expect(charges).toBeGreaterThanOrEqual(answered)
    expect(await ledger.audit()).toEqual([])
    await database.close()
  })

  it('reloads its upstreams file without a restart, and keeps the current upstreams when the file is invalid', async () => {
    const file = join(folder, 'upstreams.yaml')
    const write = async (text: string) => {
      await writeFile(`${file}.new`, text)
      await rename(`${file}.new`, file)
    }
    await write('upstreams: []')
    const child = start('--port', '0', '--data', join(folder, 'upstreams'), '--upstreams', file)
    let output = ''
    const lines = new EventEmitter()
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      lines.emit('more')
    })
    const recorded = async (text: string) => {
      while (!output.includes(text)) await once(lines, 'more')
    }
    const origin = await waitForAddress(child)
    const metrics = async () => {
      const headers = { authorization: `Bearer ${commandKey}` }
      return (await fetch(`${origin}/metrics`, { headers })).text()
    }
    await write('upstreams: [{ name: away, capability: text, url: "http://127.0.0.1:9/api/v1" }]')
    await recorded('upstreams replaced')
    expect(await metrics()).toContain(
      'farebox_upstream_in_flight{capability="text",upstream="away"} 0',
    )
    await write('upstreams: [{ name: away, capability: text, url: "https://text.example/api/v1" }]')
    await recorded('The upstreams stay as they were: The upstream \\"away\\" may bill')
    await write('upstreams: [{ name: away }]')
    child.kill('SIGHUP')
    await recorded('The upstreams stay as they were: ')
    expect(await metrics()).toContain(
      'farebox_upstream_in_flight{capability="text",upstream="away"} 0',
    )
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('credits, creates keys and audits while no service uses the folder', async () => {
    const data = join(folder, 'ledger')
    expect(await runHere('credit', '--data', data)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('give --usd') as string,
    })
    expect(
      await runHere('credit', '--data', data, '--account', 'tram', '--usd', '2.5', '--staked', '3'),
    ).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^GRANT of 2\.5 USD done: entry led_\S+ key:tram has 2\.5 USD after it\.\ntram has 2\.5 USD, and 3 USD of daily credit\.\n$/,
      ) as string,
      stderr: '',
    })
    const nobody = ['--account', '0x1111111111111111111111111111111111111111']
    expect(
      await runHere('credit', '--data', data, ...nobody, '--usd', '1', '--staked', '3'),
    ).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/: There is no account 0x1+\.\n$/) as string,
    })
    const made = await run(
      'keys',
      'create',
      '--data',
      data,
      '--account',
      'tram',
      '--description',
      'night bus',
    )
    expect(made.stdout).toMatch(/^fbx_[\w-]{43}\n$/)

    const child = start('--port', '0', '--data', data)
    const origin = await waitForAddress(child)
    expect(await runHere('audit', '--data', data)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('in use by process') as string,
    })
    expect(await parseFor(origin, made.stdout.trim())).toBe(200)
    child.kill('SIGTERM')
    await once(child, 'exit')
    // the last use was written when the service ended
    const { stdout } = await runHere('keys', 'list', '--data', data, '--account', 'tram', '--json')
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string
    expect(JSON.parse(stdout)).toMatchObject([
      { account: 'key:tram', description: 'night bus', state: 'active', lastUsedAt: day },
    ])
    const consistent = {
      code: 0,
      stdout: '2 accounts with 3 entries: the ledger is consistent.\n',
      stderr: '',
    }
    expect(await run('audit', '--data', data)).toEqual(consistent)
    expect(await runHere('audit', '--data', data, '--new')).toEqual(consistent)
    // as with `| head -1`
    const report = start('usage', '--data', data)
    report.stdout?.destroy()
    let complaint = ''
    report.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    expect([...(await once(report, 'close')), complaint]).toEqual([0, null, ''])

    const { openPglite } = await import('../platform/database/pglite.js')
    const database = await openPglite(data)
    await database.query(`update account set balance = 1 where name = 'key:tram'`)
    await database.close()
    expect(await runHere('audit', '--data', data)).toEqual({
      code: 1,
      stdout: '2 accounts with 3 entries: 1 difference.\n',
      stderr: 'key:tram: the balance is 1, its entries add up to 2500000\n',
    })
    expect(await runHere('audit', '--data', data, '--new')).toMatchObject({
      code: 1,
      stderr: 'key:tram: the balance is 1, entry 2 left 2500000\n',
    })
  })
})
