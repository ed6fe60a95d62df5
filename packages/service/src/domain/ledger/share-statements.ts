import { wasUndone } from './refusals.js'

/** The statements for one kind of work. */
export type Statements<Work, Result> = {
  /** Two statements never work on one subject at once: the second would only wait for the first. */
  readonly subjectOf: (work: Work) => string
  readonly one: (work: Work) => Promise<Result>
  /**
   * Does all the works that it can in one statement. The result of each other work is undefined,
   * and nothing of it was written.
   */
  readonly many: (works: readonly Work[]) => Promise<readonly (Result | undefined)[]>
}

/**
 * Statements of one kind under way at once. With more of them each has fewer works, and a work
 * costs more.
 */
const most = 2

/**
 * Milliseconds after which a statement no longer counts: it waits for a row that somebody locked.
 */
const patienceMs = 100

/** The most works in one statement. */
const largest = 200

type Waiting<Work, Result> = {
  readonly work: Work
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Does simultaneous works in few statements. Works of one turn of the microtask queue share a
 * statement. A work waits while its subject or two other statements run, for the latter at most
 * 100 ms: two locked rows do not stop other subjects. A work
 * that the shared statement did not do runs alone afterwards, which gives the reason. A broken
 * connection rejects all works of its statement, since their outcome is unknown.
 */
export function shareStatements<Work, Result>({ subjectOf, one, many }: Statements<Work, Result>): (work: Work) => Promise<Result> {
  let waiting: Waiting<Work, Result>[] = []
  const subjectsUnderWay = new Set<string>()
  let underWay = 0
  let isAboutToSend = false

  const sendSoon = () => {
    if (isAboutToSend) return
    isAboutToSend = true
    queueMicrotask(() => {
      isAboutToSend = false
      sendWaiting()
    })
  }

  const sendWaiting = () => {
    if (underWay === most) return
    const batch = waiting.filter(({ work }) => !subjectsUnderWay.has(subjectOf(work))).slice(0, largest)
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

  /** Never rejects. */
  const run = async (batch: readonly Waiting<Work, Result>[]) => {
    const [first] = batch
    try {
      if (first && batch.length === 1) return first.resolve(await one(first.work))
      const results = await many(batch.map(({ work }) => work))
      for (const [place, { work, resolve }] of batch.entries()) resolve(results[place] ?? one(work))
    } catch (error) {
      for (const { work, resolve, reject } of batch) {
        if (batch.length > 1 && wasUndone(error)) resolve(one(work))
        else reject(error)
      }
    }
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject })
      sendSoon()
    })
}
