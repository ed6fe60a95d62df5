import { fork } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cache } from '@farebox/testing/installed'
import { suites } from './verdicts/cases.js'
import { peers } from './verdicts/peers.js'
import type { Verdict, WorkerMessage } from './verdicts/worker.js'

const usage = `Usage: pnpm bench verdicts [--only NAME,NAME] [--list]

  --only NAME,NAME  some of ${Object.keys(peers).join(', ')}
  --list            each verdict that is not right

JSON_SCHEMA_SUITE=FOLDER adds the folder tests/draft2020-12 of a checkout of the suite.`

export async function verdicts(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  const chosen = values.only?.split(',') ?? Object.keys(peers)
  const unknown = chosen.filter((name) => !Object.hasOwn(peers, name))
  if (values.help === true || unknown.length > 0) {
    if (unknown.length > 0) console.error(`There is no generator ${unknown.join(', ')}.`)
    console.log(usage)
    process.exitCode = unknown.length > 0 ? 2 : 0
    return
  }

  const place = join(cache, 'verdicts')
  for (const [index, { name, cases, left }] of (await suites()).entries()) {
    const file = join(place, `suite-${index}.json`)
    mkdirSync(place, { recursive: true })
    writeFileSync(file, JSON.stringify(cases))
    const table: Record<string, object> = {}
    for (const peer of chosen) {
      const title = peers[peer]?.title ?? peer
      const all = await verdictsOf(peer, file, join(place, `${peer}-${index}`))
      table[title] = rowOf(all)
      if (values.list !== true) continue
      for (const { rule, test, verdict, because } of all) {
        if (verdict !== 'right') console.log(`${title}: ${rule}, ${test}: ${verdict}${because === undefined ? '' : ` (${because})`}`)
      }
    }
    const count = cases.reduce((sum, { tests }) => sum + tests.length, 0)
    console.log(`\n${name}: ${count} values of ${cases.length} schemas; ${left} schemas that need other documents are left out`)
    console.table(table)
  }
}

function rowOf(verdicts: readonly Verdict[]): object {
  const count = (kind: Verdict['verdict']): number => verdicts.filter(({ verdict }) => verdict === kind).length
  const right = count('right')
  return {
    right,
    'wrongly accepted': count('accepted'),
    'wrongly refused': count('refused'),
    'no verdict': count('failed'),
    'right, %': Math.floor((right / verdicts.length) * 1000) / 10,
  }
}

/** Runs a generator in a process of its own in the empty folder `work`. */
function verdictsOf(peer: string, file: string, work: string): Promise<readonly Verdict[]> {
  const worker = fileURLToPath(new URL('verdicts/worker.js', import.meta.url))
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const child = fork(worker, [peer, peers[peer]?.install() ?? '', file], { cwd: work, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-2000)))
  return new Promise((resolve, reject) => {
    child.on('message', (message: WorkerMessage) => {
      if ('progress' in message) console.error(`${peer}, ${message.progress}`)
      else resolve(message.verdicts)
    })
    child.on('exit', (code) => reject(new Error(`${peer} ended with ${code}:\n${complaint}`)))
  })
}
