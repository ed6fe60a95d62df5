import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Whether PostgreSQL's own load generator is on the PATH. npm has none. */
export const hasPgbench = spawnSync('pgbench', ['--version']).status === 0

export type PgbenchStatement = {
  readonly sql: string
  /** The values of $1, $2, …; they may use :wallet (below `wallets`) and a random :id. */
  readonly expressions: readonly string[]
}

export type PgbenchOptions = {
  readonly url: string
  readonly statements: readonly PgbenchStatement[]
  readonly wallets: number
  readonly connections: number
  readonly seconds: number
}

/** How often a second pgbench sends the statements, one after the other and prepared. */
export async function pgbench({
  url,
  statements,
  wallets,
  connections,
  seconds,
}: PgbenchOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-pgbench-'))
  const script = join(folder, 'script.sql')
  const lines = statements.map(({ sql, expressions }) => {
    const filled = sql.replace(
      /\$(\d+)/g,
      (_whole, number: string) => expressions[Number(number) - 1] ?? 'null',
    )
    return `${filled.replace(/\s*\n\s*/g, ' ')};\n`
  })
  writeFileSync(
    script,
    `\\set wallet random(0, ${wallets - 1})\n\\set id random(1, 9000000000000000000)\n${lines.join('')}`,
  )
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(connections),
    '-j',
    '1',
    '-T',
    String(seconds),
    '-f',
    script,
    url,
  ]
  const { stdout } = await promisify(execFile)('pgbench', args)
  rmSync(folder, { recursive: true })
  const [, rate] = /tps = ([\d.]+)/.exec(stdout) ?? []
  if (rate === undefined || /failed transactions: [1-9]/.test(stdout))
    throw new Error(`pgbench:\n${stdout}`)
  return Number(rate)
}
