import { fork, type ForkOptions } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expected, type Arguments } from '@farebox/command-line'
import { cache } from '@farebox/testing/install-package'
import { findNewerNode } from '@farebox/testing/runtimes'
import { countVerdicts, readSuites } from './verdicts/cases.js'
import { judgeLibraries } from './verdicts/libraries.js'
import { peers } from './verdicts/peers.js'
import { showTable } from './measure.js'
import type { Verdict, WorkerMessage } from './verdicts/worker.js'

export async function benchmarkVerdicts(args: Arguments): Promise<void> {
  const chosen = args.text('only')?.split(',') ?? Object.keys(peers)
  const unknown = chosen.find((name) => !Object.hasOwn(peers, name))
  if (unknown !== undefined)
    throw expected('--only', unknown, `some of ${Object.keys(peers).join(', ')}`)

  const place = join(cache, 'verdicts')
  for (const [index, { name, cases, left }] of (await readSuites()).entries()) {
    const file = join(place, `suite-${index}.json`)
    mkdirSync(place, { recursive: true })
    writeFileSync(file, JSON.stringify(cases))
    const table: Record<string, object> = {}
    for (const peer of chosen) {
      const title = peers[peer]?.title ?? peer
      const all = await runVerdicts(peer, file, join(place, `${peer}-${index}`))
      table[title] = countVerdicts(all.map(({ verdict }) => verdict))
      if (!args.has('list')) continue
      for (const { rule, test, verdict, because } of all) {
        if (verdict !== 'right')
          console.log(
            `${title}: ${rule}, ${test}: ${verdict}${because === undefined ? '' : ` (${because})`}`,
          )
      }
    }
    const count = cases.reduce((sum, { tests }) => sum + tests.length, 0)
    console.log(
      `\n${name}, read to the letter of JSON Schema: ${count} values of ${cases.length} schemas; ${left} schemas that need other documents are left out`,
    )
    const kept = `verdicts-${name.split(',')[0]?.replaceAll(' ', '')}`
    showTable(table, args.has('save') && kept)
    if (args.text('only') !== undefined) continue
    console.log('Libraries that read JSON Schema themselves, on the same values')
    showTable(await judgeLibraries(cases), args.has('save') && `${kept}-libraries`)
  }
}

/**
 * Runs a generator in a process of its own in the empty folder `work`. All run on the Node that the
 * newest of them need.
 */
function runVerdicts(peer: string, file: string, work: string): Promise<readonly Verdict[]> {
  const worker = fileURLToPath(new URL('verdicts/worker.js', import.meta.url))
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const options: ForkOptions = {
    cwd: work,
    execPath: findNewerNode(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  }
  const child = fork(worker, [peer, peers[peer]?.install() ?? '', file], options)
  let complaint = ''
  child.stderr?.on(
    'data',
    (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-2000)),
  )
  return new Promise((resolve, reject) => {
    child.on('message', (message: WorkerMessage) => {
      if ('progress' in message) console.error(`${peer}, ${message.progress}`)
      else resolve(message.verdicts)
    })
    child.on('exit', (code) => reject(new Error(`${peer} ended with ${code}:\n${complaint}`)))
  })
}
