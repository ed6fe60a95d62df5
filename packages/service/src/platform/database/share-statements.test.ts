import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findActiveSpan, runInOpenSpan, type Span } from '../telemetry/spans.js'
import { shareStatements } from './share-statements.js'

type PendingStatement = { readonly resolve: () => void; readonly reject: (error: Error) => void }

type Work = { readonly subject: string; readonly name: string }

const createWork = (subject: string, name: string): Work => ({ subject, name })
const createCodeError = (code: string) => Object.assign(new Error(code), { code })

/** Statements that are answered by hand. Common ones do nothing for `poor`. */
function createManualShare() {
  const sent: string[] = []
  const open: PendingStatement[] = []
  const answered = <T>(name: string, result: () => T) =>
    new Promise<T>((resolve, reject) => {
      sent.push(name)
      open.push({ resolve: () => resolve(result()), reject })
    })
  const share = shareStatements<Work, string>({
    one: ({ name }) => answered(name, () => `${name} alone`),
    many: (works) =>
      answered(`[${works.map(({ name }) => name).join(' ')}]`, () => {
        return works.map(({ subject, name }) =>
          subject === 'poor' ? undefined : `${name} together`,
        )
      }),
  })
  const ask = (one: Work) => share(one, one.subject)
  /** Answers the oldest statement, and lets all come of it that comes of it by itself. */
  const next = async (error?: Error) => {
    const first = open.shift()
    if (error) first?.reject(error)
    else first?.resolve()
    await waitForTurns()
  }
  return { sent, ask, next }
}

/** After two turns of the event loop: one for what was asked, one for what that led to. */
const waitForTurns = async () => {
  for (let turn = 0; turn < 2; turn++)
    await new Promise<void>((resolve) => void setImmediate(resolve))
}

describe('shareStatements', () => {
  // a slow machine takes longer than the patience with a statement
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('sends a single task unchanged, at the end of the event loop turn', async () => {
    const { sent, ask, next } = createManualShare()
    const result = ask(createWork('a', '1'))
    await new Promise<void>((resolve) => void setImmediate(resolve))
    expect(sent).toEqual(['1'])
    await next()
    expect(await result).toBe('1 alone')
  })

  it('batches concurrent tasks, and sends those that arrive during two statements as soon as one returns', async () => {
    const { sent, ask, next } = createManualShare()
    for (const [subject, name] of ['a1', 'b2', 'a3'])
      void ask(createWork(subject ?? '', name ?? ''))
    await waitForTurns()
    void ask(createWork('c', '4'))
    await waitForTurns()
    for (const [subject, name] of ['d5', 'e6']) {
      void ask(createWork(subject ?? '', name ?? ''))
      await waitForTurns()
    }
    expect(sent).toEqual(['[1 2 3]', '4'])
    await next()
    expect(sent).toEqual(['[1 2 3]', '4', '[5 6]'])
  })

  it('batches tasks from different callbacks of one turn', async () => {
    const { sent, ask } = createManualShare()
    for (const name of ['1', '2', '3']) process.nextTick(() => void ask(createWork(name, name)))
    await waitForTurns()
    expect(sent).toEqual(['[1 2 3]'])
  })

  it('limits the tasks of a statement, and splits one large task into several statements only if necessary', async () => {
    const sent: number[] = []
    const share = shareStatements<number, number>({
      largest: 2,
      many: async (works) => {
        sent.push(works.length)
        return works.map((one) => -one)
      },
    })
    expect(await Promise.all([1, 2, 3, 4, 5].map((one) => share(one, String(one))))).toEqual([
      -1, -2, -3, -4, -5,
    ])
    expect(sent).toEqual([2, 2, 1])
  })

  it('runs one statement at a time for a subject', async () => {
    const { sent, ask, next } = createManualShare()
    for (const name of ['1', '2', '3']) {
      void ask(createWork('a', name))
      await waitForTurns()
    }
    void ask(createWork('b', '4'))
    await waitForTurns()
    expect(sent).toEqual(['1', '4'])
    await next()
    expect(sent).toEqual(['1', '4', '[2 3]'])
  })

  it('does not let two statements that wait for a lock stop other subjects', async () => {
    const { sent, ask, next } = createManualShare()
    for (const subject of ['a', 'b', 'c']) {
      void ask(createWork(subject, subject))
      await waitForTurns()
    }
    void ask(createWork('a', 'a again'))
    vi.advanceTimersByTime(99)
    await waitForTurns()
    expect(sent).toEqual(['a', 'b'])
    vi.advanceTimersByTime(1)
    await waitForTurns()
    expect(sent).toEqual(['a', 'b', 'c'])
    // what comes back late has left already
    await next()
    expect(sent).toEqual(['a', 'b', 'c', 'a again'])
    void ask(createWork('d', 'd'))
    await waitForTurns()
    expect(sent).toEqual(['a', 'b', 'c', 'a again'])
  })

  it('waits for locks in at most two shared statements, and uses NOWAIT in further ones', async () => {
    const waits: string[] = []
    const share = shareStatements<number, number>({
      many: (_works, wait) => {
        waits.push(wait)
        return new Promise(() => undefined)
      },
      one: async () => 0,
    })
    for (const pair of [1, 3, 5]) {
      void share(pair, String(pair))
      void share(pair + 1, String(pair + 1))
      await waitForTurns()
    }
    vi.advanceTimersByTime(100)
    await waitForTurns()
    expect(waits).toEqual(['', '', 'nowait'])
  })

  it('sends at most 200 in a statement', async () => {
    const { sent, ask } = createManualShare()
    for (let subject = 0; subject < 201; subject++) void ask(createWork(String(subject), 'x'))
    await waitForTurns()
    expect(sent.map((names) => names.split(' ').length)).toEqual([200, 1])
  })

  it('runs separately what a shared statement did not do', async () => {
    const { sent, ask, next } = createManualShare()
    const results = [ask(createWork('a', '1')), ask(createWork('poor', '2'))]
    await waitForTurns()
    await next()
    expect(sent).toEqual(['[1 2]', '2'])
    await next()
    expect(await Promise.all(results)).toEqual(['1 together', '2 alone'])
  })

  it.each(['23503', '40P01', '40001', '22003', '55P03', '57014'])(
    'runs each task separately when the database rolled back their statement with %s',
    async (code) => {
      const { sent, ask, next } = createManualShare()
      const results = Promise.allSettled([ask(createWork('a', '1')), ask(createWork('b', '2'))])
      await waitForTurns()
      await next(createCodeError(code))
      expect(sent).toEqual(['[1 2]', '1', '2'])
      await next()
      await next(new Error('second'))
      expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    },
  )

  it('excludes a subject that stays locked from shared statements until it gets its lock', async () => {
    const { sent, ask, next } = createManualShare()
    const first = Promise.allSettled([ask(createWork('locked', '1')), ask(createWork('b', '2'))])
    await waitForTurns()
    for (const error of [createCodeError('55P03'), createCodeError('55P03'), undefined])
      await next(error)
    expect((await first).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    const second = [
      ask(createWork('b', '3')),
      ask(createWork('locked', '4')),
      ask(createWork('c', '5')),
    ]
    await waitForTurns()
    expect(sent).toEqual(['[1 2]', '1', '2', '4', '[3 5]'])
    await next()
    await next()
    expect(await Promise.all(second)).toEqual(['3 together', '4 alone', '5 together'])
    void ask(createWork('locked', '6'))
    void ask(createWork('b', '7'))
    await waitForTurns()
    expect(sent.at(-1)).toBe('[6 7]')
  })

  it.each([
    new Error('Connection terminated unexpectedly'),
    ...['ECONNRESET', 'EPIPE', '57P01', '08006', '40003'].map(createCodeError),
  ])('does not repeat a task that may have been done: %s', async (error) => {
    const { sent, ask, next } = createManualShare()
    const failures = Promise.allSettled([ask(createWork('a', '1')), ask(createWork('b', '2'))])
    await waitForTurns()
    await next(error)
    expect(await failures).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ])
    expect(sent).toEqual(['[1 2]'])
  })

  it('continues after a statement that failed', async () => {
    const { sent, ask, next } = createManualShare()
    const failure = ask(createWork('a', '1')).catch(String)
    await waitForTurns()
    const result = ask(createWork('a', '2'))
    await next(new Error('lost'))
    expect(await failure).toBe('Error: lost')
    expect(sent).toEqual(['1', '2'])
    await next()
    expect(await result).toBe('2 alone')
  })
})

it('runs each statement in the span of its first task', async () => {
  const seen: string[] = []
  const open: (() => void)[] = []
  const share = shareStatements<string, string>({
    many: async (works) => {
      seen.push(`${works.join(' ')}: ${findActiveSpan()?.span_id}`)
      await new Promise<void>((resolve) => void open.push(resolve))
      return works
    },
  })
  const askedBy = (name: string, one: string) =>
    runInOpenSpan(createSpan(name), () => share(one, one.slice(0, 1)))
  const first = [askedBy('first', 'a1'), askedBy('second', 'b1')]
  await waitForTurns()
  // it waits for its subject, and is sent by the end of the statement of others
  const late = askedBy('late', 'a2')
  await waitForTurns()
  expect(seen).toEqual(['a1 b1: first'])
  open.shift()?.()
  await Promise.all(first)
  await waitForTurns()
  expect(seen).toEqual(['a1 b1: first', 'a2: late'])
  open.shift()?.()
  expect(await late).toBe('a2')
})

function createSpan(name: string): Span {
  const nothing = () => undefined
  const child: Span['child'] = (start) => createSpan(start.name)
  return {
    trace_id: 'trace',
    span_id: name,
    child,
    rename: nothing,
    set: nothing,
    fail: nothing,
    end: nothing,
    headers: () => ({}),
  }
}
