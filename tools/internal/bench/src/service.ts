import { expected, type Arguments } from '@farebox/command-line'
import { compareWithCommit } from './service/beside-benchmark.js'
import { measureLedger } from './service/ledger-benchmark.js'
import { measureRequests } from './service/requests-benchmark.js'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@farebox/testing/commands'
import { computeMedian, root, showTable } from './measure.js'

const rounds = 5
const adminKey = 'admin-key-of-the-bench'

export async function benchmarkService({ operands: [given], text, has }: Arguments): Promise<void> {
  const requests = Number(given ?? 100_000)
  if (!Number.isInteger(requests) || requests < rounds)
    throw expected('REQUESTS', given ?? '', `an integer of ${rounds} or more`)
  const commit = text('beside')
  if (commit !== undefined) return compareWithCommit(commit, requests, rounds)
  const save = has('save')
  await measureStart(rounds, save)
  await measureRequests(requests, rounds, save)
  await measureLedger(rounds, save)
}

/** Milliseconds from the start of the process. */
type Start = { readonly listening: number; readonly answered: number }

/**
 * How long the command takes to listen and to respond, on a new data folder and on an existing one.
 */
async function measureStart(rounds: number, save: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const fresh: Start[] = []
  const existing: Start[] = []
  const alone: number[] = []
  for (let round = 0; round < rounds; round++) {
    fresh.push(await startOnce(join(folder, String(round))))
    existing.push(await startOnce(join(folder, String(round))))
    const begin = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    alone.push(performance.now() - begin)
  }
  rmSync(folder, { recursive: true })
  console.log(
    `Start of farebox-service, median of ${rounds}. Node alone takes ${Math.round(computeMedian(alone))} ms (about 40 on an idle machine).`,
  )
  console.log('Targets: new folder under 2,000 ms, first response on an existing one under 3,000.')
  showTable(
    { 'Farebox: a new folder': toRow(fresh), 'Farebox: an existing folder': toRow(existing) },
    save && 'service-start',
  )
}

async function startOnce(data: string): Promise<Start> {
  const begin = performance.now()
  const command = join(root, 'packages/service/dist/bin.js')
  const env = { FAREBOX_ADMIN_KEY: adminKey, FAREBOX_LOG_LEVEL: 'error' }
  const { address, stop } = await serve(
    process.execPath,
    [command, '--port', '0', '--data', data],
    /listening on (\S+)/,
    { env },
  )
  const listening = performance.now() - begin
  await (
    await fetch(`${address}/api/v1/models`, { headers: { authorization: `Bearer ${adminKey}` } })
  ).arrayBuffer()
  const answered = performance.now() - begin
  await stop()
  return { listening, answered }
}

function toRow(all: readonly Start[]): object {
  return {
    'listening, ms': Math.round(computeMedian(all.map(({ listening }) => listening))),
    'first response, ms': Math.round(computeMedian(all.map(({ answered }) => answered))),
  }
}
