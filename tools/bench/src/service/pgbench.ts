import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Whether PostgreSQL's own load generator is on the PATH; npm has none. */
export const hasPgbench = spawnSync('pgbench', ['--version']).status === 0

/** @typedef {{ readonly sql: string, readonly expressions: readonly string[] }} Statement */

/**
 * How often a second pgbench sends the statements, one after the other and prepared. `expressions` take the place of $1, $2 and so on, and may use
 * :wallet (a number below `wallets`) and :id (a number that hardly comes twice).
 * @param {{ readonly url: string, readonly statements: readonly Statement[], readonly wallets: number, readonly connections: number, readonly seconds: number }} options
 */
export async function pgbench({ url, statements, wallets, connections, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-pgbench-'))
  const script = join(folder, 'script.sql')
  const lines = statements.map(({ sql, expressions }) => {
    return `${sql.replace(/\$(\d+)/g, (_whole, number) => expressions[number - 1] ?? 'null').replace(/\s*\n\s*/g, ' ')};\n`
  })
  writeFileSync(script, `\\set wallet random(0, ${wallets - 1})\n\\set id random(1, 9000000000000000000)\n${lines.join('')}`)
  const args = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '1', '-T', String(seconds), '-f', script, url]
  const { stdout } = await promisify(execFile)('pgbench', args)
  rmSync(folder, { recursive: true })
  const [, rate] = /tps = ([\d.]+)/.exec(stdout) ?? []
  if (rate === undefined || /failed transactions: [1-9]/.test(stdout)) throw new Error(`pgbench:\n${stdout}`)
  return Number(rate)
}
