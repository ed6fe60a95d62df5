import { lockNotAvailable, wasUndone } from '../../platform/database/storage-error.js'
import { readErrorCode } from '../../platform/error-code.js'
import { withActiveSpan } from '../../platform/telemetry/spans.js'
import type { Wait } from './account-lock.js'

/** The statements for one kind of work. */
type Statements<Work, Result> = {
  /** Two statements never work on one subject at once: the second would only wait for the first. */
  readonly subjectOf: (work: Work) => string
  /** Default: `many` of one, which then does every work. */
  readonly one?: (work: Work) => Promise<Result>
  /**
   * Does all the works that it can in one statement. The result of each other work is undefined,
   * and nothing of it was written. With `nowait`, it does not wait for the lock of a row.
   */
  readonly many: (works: readonly Work[], wait: Wait) => Promise<readonly (Result | undefined)[]>
  /** The most works in one statement. Default: 200. */
  readonly largest?: number
}

/**
 * Statements of one kind under way at once. With more of them each has fewer works, and a work
 * costs more.
 */
const most = 2

/**
 * Milliseconds after which a statement no longer counts: it waits for a locked row.
 */
const patienceMs = 100

type Waiting<Work, Result> = {
  readonly work: Work
  /** Runs in the span of whoever asked for the work. */
  readonly asAsked: ReturnType<typeof withActiveSpan>
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Does simultaneous works in few statements. Works of one turn of the event loop share a statement:
 * those of all requests that had arrived. A work waits while its subject or two other statements
 * run, for the latter at most 100 ms: two locked rows do not stop other subjects. While two shared
 * statements are at work, further ones do not wait for locks. A work that the shared statement did
 * not do runs alone afterwards, which gives the reason. A subject whose work did not get its lock
 * even then is left out of shared statements until it does. A broken connection rejects all works
 * of a statement, since their outcome is unknown.
 */
export function shareStatements<Work, Result>({
  subjectOf,
  many,
  one = async (work) => (await many([work], ''))[0] as Result,
  largest = 200,
}: Statements<Work, Result>): (work: Work) => Promise<Result> {
  let waiting: Waiting<Work, Result>[] = []
  const subjectsUnderWay = new Set<string>()
  const lockedSubjects = new Set<string>()
  let underWay = 0
  /** Shared statements, also those that no longer count. */
  let shared = 0
  let isAboutToSend = false

  const sendSoon = () => {
    if (isAboutToSend) return
    isAboutToSend = true
    setImmediate(() => {
      isAboutToSend = false
      sendWaiting()
    })
  }

  const sendWaiting = () => {
    if (underWay === most) return
    const batch = waiting
      .filter(({ work }) => !subjectsUnderWay.has(subjectOf(work)))
      .slice(0, largest)
    if (batch.length === 0) return
    const sent = new Set(batch)
    waiting = waiting.filter((item) => !sent.has(item))
    void send(batch)
    sendWaiting()
  }

  const send = async (batch: readonly Waiting<Work, Result>[]) => {
    const subjects = new Set(batch.map(({ work }) => subjectOf(work)))
    for (const subject of subjects) subjectsUnderWay.add(subject)
    underWay++
    let counts = true
    const leave = () => {
      if (counts) underWay--
      counts = false
      sendSoon()
    }
    const impatience = setTimeout(leave, patienceMs)
    await run(batch)
    clearTimeout(impatience)
    for (const subject of subjects) subjectsUnderWay.delete(subject)
    leave()
  }

  const runAlone = async (work: Work): Promise<Result> => {
    const subject = subjectOf(work)
    try {
      const result = await one(work)
      lockedSubjects.delete(subject)
      return result
    } catch (error) {
      if (readErrorCode(error) === lockNotAvailable) lockedSubjects.add(subject)
      throw error
    }
  }

  const runTogether = async (works: readonly Work[]) => {
    const wait = shared < most ? '' : 'nowait'
    shared++
    try {
      return await many(works, wait)
    } finally {
      shared--
    }
  }

  /** Never rejects. */
  const run = async (batch: readonly Waiting<Work, Result>[]) => {
    const [first] = batch
    try {
      if (first && batch.length === 1)
        return first.resolve(await first.asAsked(() => runAlone(first.work)))
      const together = () => runTogether(batch.map(({ work }) => work))
      // a span has one parent, and the statement several
      const results = await (first?.asAsked(together) ?? together())
      for (const [place, { work, asAsked, resolve }] of batch.entries())
        resolve(results[place] ?? asAsked(() => runAlone(work)))
    } catch (error) {
      for (const { work, asAsked, resolve, reject } of batch) {
        if (batch.length > 1 && wasUndone(error)) resolve(asAsked(() => runAlone(work)))
        else reject(error)
      }
    }
  }

  return (work) => {
    if (lockedSubjects.has(subjectOf(work))) return runAlone(work)
    return new Promise((resolve, reject) => {
      waiting.push({ work, asAsked: withActiveSpan(), resolve, reject })
      sendSoon()
    })
  }
}
