import { openSync, readSync } from 'node:fs'

export type WorkMeasurement<T> = {
  readonly result: T
  /**
   * The longest turn of the event loop, in milliseconds of processor time of the machine on which
   * the rule is measured. The service answers nobody during it.
   */
  readonly stallMs: number
  /** The most memory at one moment, beyond that at the start. */
  readonly addedMb: number
}

/**
 * Runs work in this process and watches each turn of its event loop. Processor time of this thread
 * is what counts, so that other processes of the machine do not.
 */
export async function measureWork<T>(work: () => Promise<T>): Promise<WorkMeasurement<T>> {
  const slownessBefore = measureSlowness()
  const start = process.memoryUsage.rss()
  let [stall, most, before, over] = [0, start, readProcessorMs(), false]
  // a timer of 1 ms sees every turn that is long enough to matter, and leaves the core to workers
  const turn = () => {
    const now = readProcessorMs()
    stall = Math.max(stall, now - before)
    most = Math.max(most, process.memoryUsage.rss())
    before = now
    if (!over) setTimeout(turn, 1)
  }
  turn()
  const result = await work().finally(() => (over = true))
  turn()
  return {
    result,
    stallMs: stall / Math.max(slownessBefore, measureSlowness()),
    addedMb: (most - start) / 2 ** 20,
  }
}

const file =
  process.platform === 'linux'
    ? openSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, 'r')
    : undefined
const text = Buffer.alloc(64)

/**
 * Of the main thread, by Linux. Other systems give it for all threads together, so the clock has to
 * do there.
 */
function readProcessorMs(): number {
  if (file === undefined) return performance.now()
  return (
    Number(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ')[0]) / 1e6
  )
}

/**
 * How much slower this machine is at this moment than the one on which the rule is measured; 1 at
 * least. Some work waits for the processor, and some for memory.
 */
function measureSlowness(): number {
  const json = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => ({ index })))
  const bytes = Buffer.alloc(20_000_000, 'a')
  return Math.max(
    1,
    measureMedianMs(() => JSON.parse(json)) / usualMs.parsing,
    measureMedianMs(() => Buffer.from(bytes)) / usualMs.copying,
  )
}

const usualMs = { parsing: 4, copying: 10 }

function measureMedianMs(work: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const start = readProcessorMs()
    work()
    return readProcessorMs() - start
  })
  return times.toSorted((a, b) => a - b)[2] ?? 0
}
