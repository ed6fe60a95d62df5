import { wasUndone } from './refusals.js'

/** How works of one kind are done. */
export type Ways<Work, Result> = {
  /** What no two statements work on at once: the second of them would only wait for the first. */
  readonly subjectOf: (work: Work) => string
  readonly alone: (work: Work) => Promise<Result>
  /** Does what can be done in one statement. Undefined, at the place of each of the others: nothing was written of it. */
  readonly together: (works: readonly Work[]) => Promise<readonly (Result | undefined)[]>
}

/** Statements of one kind that a ledger has under way at once. With more of them the common ones are shorter, and so each work is more effort. */
const most = 2

/** Works in one statement. */
const largest = 200

type Waiting<Work, Result> = {
  readonly work: Work
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Does many works at once in few statements. What comes in one turn of the event loop's microtasks goes out together, and a single work alone; what comes
 * while its subject, or too much else, is under way waits until a statement is back: there is no clock in it. What a common statement did not do
 * is done alone after it, and so is refused in the same words. A statement whose connection broke rejects all of its works: nobody knows then whether
 * they were done.
 */
export function shareStatements<Work, Result>({ subjectOf, alone, together }: Ways<Work, Result>): (work: Work) => Promise<Result> {
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
    waiting = waiting.filter((one) => !sent.has(one))
    void send(batch)
    sendWaiting()
  }

  const send = async (batch: readonly Waiting<Work, Result>[]) => {
    const subjects = new Set(batch.map(({ work }) => subjectOf(work)))
    for (const subject of subjects) subjectsUnderWay.add(subject)
    underWay++
    await run(batch)
    underWay--
    for (const subject of subjects) subjectsUnderWay.delete(subject)
    sendSoon()
  }

  /** Never rejects. */
  const run = async (batch: readonly Waiting<Work, Result>[]) => {
    const [first] = batch
    try {
      if (first && batch.length === 1) return first.resolve(await alone(first.work))
      const results = await together(batch.map(({ work }) => work))
      for (const [place, { work, resolve }] of batch.entries()) resolve(results[place] ?? alone(work))
    } catch (error) {
      for (const { work, resolve, reject } of batch) {
        if (batch.length > 1 && wasUndone(error)) resolve(alone(work))
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
