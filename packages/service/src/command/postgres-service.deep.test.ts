import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandKey, createCommand, waitForAddress, parseFor } from '../../test/command.js'
import { startPostgres, type TestPostgres } from '@farebox/testing/postgres'

let postgres: TestPostgres
beforeAll(async () => void (postgres = await startPostgres()))
afterAll(() => postgres.stop())

const { start, runHere, killAll } = createCommand(undefined, () => ({
  FAREBOX_DATABASE_URL: postgres.url,
}))
afterAll(killAll)

/** One that the cases share, which a case has started before. */
let left: { readonly child: ChildProcess; readonly origin: string } | undefined

/** USD of the administrator's account, and how many charges that is. */
async function countCharges(origin: string): Promise<number> {
  const headers = { authorization: `Bearer ${commandKey}` }
  const response = await fetch(`${origin}/api/v1/api_keys/rate_limits`, { headers })
  const { data } = (await response.json()) as {
    readonly data: { readonly balances: { readonly USD: number } }
  }
  return Math.round((100 - data.balances.USD) * 100)
}

describe('processes on one PostgreSQL', () => {
  it('act as one service: one migrates, they share credit, and calls survive when one is killed', async () => {
    const children = [0, 1].map(() => start('--port', '0'))
    const [first, second] = (await Promise.all(children.map(waitForAddress))) as [string, string]
    let answered = 0
    let killed = false
    const client = async (origin: string, other: string) => {
      for (let count = 0; count < 25; count++) {
        const status = await parseFor(origin).catch(() => parseFor(other))
        if (status === 200 && ++answered === 30) killed = children[0]?.kill('SIGKILL') ?? false
      }
    }
    await Promise.all([
      client(first, second),
      client(second, first),
      client(first, second),
      client(second, first),
    ])
    expect(killed).toBe(true)
    // the last request of the killed one may have been charged without a response
    left = children[1] && { child: children[1], origin: second }
    const charged = await countCharges(second)
    expect(charged).toBeGreaterThanOrEqual(answered)
    expect(charged).toBeLessThanOrEqual(answered + 4)
    expect(await runHere('audit')).toMatchObject({ code: 0 })
  })

  it.skipIf(process.env['TEST_DATABASE_URL'] !== undefined)(
    'lose no completed call when the database is killed under load',
    async () => {
      const child = left?.child ?? start('--port', '0')
      const origin = left?.origin ?? (await waitForAddress(child))
      const before = await countCharges(origin)
      let answered = 0
      for (let round = 1; round <= 2; round++) {
        let down = false
        const client = async () => {
          while (!down) {
            const status = await parseFor(origin)
            if (status === 200 && ++answered === 10 * round) {
              down = true
              await postgres.crash?.()
            }
          }
        }
        await Promise.all([client(), client(), client(), client()])
      }
      const charged = (await countCharges(origin)) - before
      expect(charged).toBeGreaterThanOrEqual(answered)
      expect(charged).toBeLessThanOrEqual(answered + 8)
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([0, null])
      expect(await runHere('audit')).toMatchObject({ code: 0 })
    },
  )

  it('explain in one sentence that a database does not exist', async () => {
    const command = createCommand(undefined, () => ({
      FAREBOX_DATABASE_URL: 'postgres://farebox:s3cret@127.0.0.1:1/ledger',
    }))
    const rejected = await command.run('--port', '0')
    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'The database ledger at 127.0.0.1:1 cannot be used',
      ) as string,
    })
    expect(rejected.stderr).not.toContain('s3cret')
  })
})
