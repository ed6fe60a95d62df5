import { bindActiveSpan } from '../telemetry/spans.js'
import { readErrorCode } from '../unknown-value.js'
import { lockNotAvailable, wasUndone } from './storage-error.js'

/** Whether a statement waits for the locks of its rows, or fails at once if one is not free. */
export type Wait = '' | 'nowait'

/** The statements for one kind of work. */
type Statements<Work, Result> = {
  /** Default: `many` of one, which then does every work. */
  readonly one?: (work: Work) => Promise<Result>
  /**
   * Does as many of the works as it can in one statement. The result of each other work is
   * undefined, and nothing of it was written. With `nowait`, it does not wait for the lock of a
   * row.
   */
  readonly many: (works: readonly Work[], wait: Wait) => Promise<readonly (Result | undefined)[]>
  /** The most works in one statement. Default: 200. */
  readonly largest?: number
}

/**
 * Statements of one kind that run at once. With more of them, each would have fewer works, and a
 * work would cost more.
 */
const maxRunning = 2

/** Milliseconds after which a statement no longer counts as running: it waits for a locked row. */
const patienceMs = 100

type Item<Work, Result> = {
  readonly work: Work
  readonly subject: string
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: unknown) => void
  /** `run` of the queue, in the span of the caller of this work. */
  readonly run: (batch: readonly Item<Work, Result>[]) => Promise<void>
}

/**
 * Batches concurrent work into few statements. The work of one turn of the event loop shares a statement:
 * that of all requests that had arrived. A work waits while a statement for its subject runs, and
 * while two other statements run, for the latter at most 100 ms: two locked rows do not stop other
 * subjects. Two statements never work on one subject at once: the second would only wait for the
 * first. While two shared statements run, further ones do not wait for locks. A work that the
 * shared statement did not do runs alone afterwards, which gives the reason. A subject whose work
 * did not get its lock even then is left out of shared statements until it does. A broken
 * connection rejects all works of a statement, since their outcome is unknown.
 */
export function shareStatements<Work, Result>({
  many,
  one,
  largest = 200,
}: Statements<Work, Result>): (work: Work, subject: string) => Promise<Result> {
  let waiting: Item<Work, Result>[] = []
  const busySubjects = new Set<string>()
  const lockedSubjects = new Set<string>()
  /** Statements that count as running. */
  let running = 0
  /** Shared statements that run, including those that no longer count. */
  let shared = 0
  let isScheduled = false

  const schedule = () => {
    if (!isScheduled) setImmediate(sendWaiting)
    isScheduled = true
  }

  const sendWaiting = () => {
    isScheduled = false
    for (;;) {
      if (running === maxRunning) return
      const batch: Item<Work, Result>[] = []
      const rest: Item<Work, Result>[] = []
      for (const item of waiting) {
        const fits = batch.length < largest && !busySubjects.has(item.subject)
        ;(fits ? batch : rest).push(item)
      }
      if (batch.length === 0) return
      waiting = rest
      void send(batch)
    }
  }

  const send = async (batch: readonly Item<Work, Result>[]) => {
    for (const { subject } of batch) busySubjects.add(subject)
    running++
    let counts = true
    const stopCounting = () => {
      if (counts) running--
      counts = false
      schedule()
    }
    const impatience = setTimeout(stopCounting, patienceMs)
    // a span has one parent, and the statement several
    await batch[0]?.run(batch)
    clearTimeout(impatience)
    for (const { subject } of batch) busySubjects.delete(subject)
    stopCounting()
  }

  /** Never rejects. */
  const run = async (batch: readonly Item<Work, Result>[]): Promise<void> => {
    const [first] = batch
    if (first && batch.length === 1) {
      const { work, subject, resolve, reject } = first
      try {
        const result = one ? await one(work) : ((await many([work], ''))[0] as Result)
        lockedSubjects.delete(subject)
        return resolve(result)
      } catch (error) {
        if (readErrorCode(error) === lockNotAvailable) lockedSubjects.add(subject)
        return reject(error)
      }
    }
    const works = batch.map(({ work }) => work)
    const wait = shared < maxRunning ? '' : 'nowait'
    shared++
    try {
      const results = await many(works, wait)
      for (const [place, item] of batch.entries()) {
        const result = results[place]
        if (result === undefined) void item.run([item])
        else item.resolve(result)
      }
    } catch (error) {
      for (const item of batch) {
        if (wasUndone(error)) void item.run([item])
        else item.reject(error)
      }
    } finally {
      shared--
    }
  }

  return (work, subject) =>
    new Promise((resolve, reject) => {
      const item = { work, subject, resolve, reject, run: bindActiveSpan(run) }
      if (lockedSubjects.has(subject)) void item.run([item])
      else {
        waiting.push(item)
        schedule()
      }
    })
}
