import { expected, type Arguments } from '@farebox/command-line'
import { scaleBenchmark } from './service/scale-benchmark.js'

export async function scale(given: Arguments): Promise<void> {
  const text = given.text('processes') ?? '1,2'
  const processes = text.split(',').map(Number)
  if (!processes.every((count) => Number.isInteger(count) && count >= 1 && count <= 64)) {
    throw expected('--processes', text, 'counts of processes such as 1,2,4')
  }
  const requests = given.integer('requests', 100, 1_000_000) ?? 2_000
  await scaleBenchmark({ processes, requests, save: given.has('save') })
}
