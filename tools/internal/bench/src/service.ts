import { expected, type Arguments } from '@farebox/command-line'
import { besideBenchmark } from './service/beside-benchmark.js'
import { ledgerBenchmark } from './service/ledger-benchmark.js'
import { requestsBenchmark } from './service/requests-benchmark.js'
import { startBenchmark } from './service/start-benchmark.js'

const rounds = 5

export async function service({ operands: [given], text, has }: Arguments): Promise<void> {
  const requests = Number(given ?? 100_000)
  if (!Number.isInteger(requests) || requests < rounds)
    throw expected('REQUESTS', given ?? '', `an integer of ${rounds} or more`)
  const commit = text('beside')
  if (commit !== undefined) return besideBenchmark(commit, requests, rounds)
  const save = has('save')
  await startBenchmark(rounds, save)
  await requestsBenchmark(requests, rounds, save)
  await ledgerBenchmark(rounds, save)
}
