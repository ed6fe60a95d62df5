import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { shareStatements } from './share-statements.js'

type Answer = { readonly resolve: () => void; readonly reject: (error: Error) => void }

type Work = { readonly subject: string; readonly name: string }

const work = (subject: string, name: string): Work => ({ subject, name })
const refused = (code: string) => Object.assign(new Error(code), { code })

/** Statements that are answered by hand. Common ones do nothing for `poor`. */
function desk() {
  const sent: string[] = []
  const open: Answer[] = []
  const answered = <T>(name: string, result: () => T) =>
    new Promise<T>((resolve, reject) => {
      sent.push(name)
      open.push({ resolve: () => resolve(result()), reject })
    })
  const ask = shareStatements<Work, string>({
    subjectOf: ({ subject }) => subject,
    one: ({ name }) => answered(name, () => `${name} alone`),
    many: (works) =>
      answered(`[${works.map(({ name }) => name).join(' ')}]`, () => {
        return works.map(({ subject, name }) => (subject === 'poor' ? undefined : `${name} together`))
      }),
  })
  /** Answers the oldest statement, and lets all come of it that comes of it by itself. */
  const next = async (error?: Error) => {
    const first = open.shift()
    if (error) first?.reject(error)
    else first?.resolve()
    await settled()
  }
  return { sent, ask, next }
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

describe('shareStatements', () => {
  it('sends a work that comes alone as it is, before anything else happens', async () => {
    const { sent, ask, next } = desk()
    const result = ask(work('a', '1'))
    await Promise.resolve()
    expect(sent).toEqual(['1'])
    await next()
    expect(await result).toBe('1 alone')
  })

  it('sends what comes at once together, and what comes during two statements as soon as one is back', async () => {
    const { sent, ask, next } = desk()
    for (const [subject, name] of ['a1', 'b2', 'a3']) void ask(work(subject ?? '', name ?? ''))
    await settled()
    void ask(work('c', '4'))
    await settled()
    for (const [subject, name] of ['d5', 'e6']) {
      void ask(work(subject ?? '', name ?? ''))
      await settled()
    }
    expect(sent).toEqual(['[1 2 3]', '4'])
    await next()
    expect(sent).toEqual(['[1 2 3]', '4', '[5 6]'])
  })

  it('has one statement under way for a subject', async () => {
    const { sent, ask, next } = desk()
    for (const name of ['1', '2', '3']) {
      void ask(work('a', name))
      await settled()
    }
    void ask(work('b', '4'))
    await settled()
    expect(sent).toEqual(['1', '4'])
    await next()
    expect(sent).toEqual(['1', '4', '[2 3]'])
  })

  it('does not let two statements that wait for a lock stop other subjects', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { sent, ask, next } = desk()
    for (const subject of ['a', 'b', 'c']) {
      void ask(work(subject, subject))
      await settled()
    }
    void ask(work('a', 'a again'))
    vi.advanceTimersByTime(99)
    await settled()
    expect(sent).toEqual(['a', 'b'])
    vi.advanceTimersByTime(1)
    await settled()
    expect(sent).toEqual(['a', 'b', 'c'])
    // what comes back late has left already
    await next()
    expect(sent).toEqual(['a', 'b', 'c', 'a again'])
    void ask(work('d', 'd'))
    await settled()
    expect(sent).toEqual(['a', 'b', 'c', 'a again'])
  })

  it('sends at most 200 in a statement', async () => {
    const { sent, ask } = desk()
    for (let subject = 0; subject < 201; subject++) void ask(work(String(subject), 'x'))
    await settled()
    expect(sent.map((names) => names.split(' ').length)).toEqual([200, 1])
  })

  it('does alone what a common statement did not do', async () => {
    const { sent, ask, next } = desk()
    const results = [ask(work('a', '1')), ask(work('poor', '2'))]
    await settled()
    await next()
    expect(sent).toEqual(['[1 2]', '2'])
    await next()
    expect(await Promise.all(results)).toEqual(['1 together', '2 alone'])
  })

  it.each(['23503', '40P01', '40001', '22003', '55P03', '57014'])(
    'does each alone when the database undid their statement with %s',
    async (code) => {
      const { sent, ask, next } = desk()
      const results = Promise.allSettled([ask(work('a', '1')), ask(work('b', '2'))])
      await settled()
      await next(refused(code))
      expect(sent).toEqual(['[1 2]', '1', '2'])
      await next()
      await next(new Error('second'))
      expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    },
  )

  it.each([new Error('Connection terminated unexpectedly'), ...['ECONNRESET', 'EPIPE', '57P01', '08006', '40003'].map(refused)])(
    'does nothing again that may have been done: %s',
    async (error) => {
      const { sent, ask, next } = desk()
      const failures = Promise.allSettled([ask(work('a', '1')), ask(work('b', '2'))])
      await settled()
      await next(error)
      expect(await failures).toEqual([
        { status: 'rejected', reason: error },
        { status: 'rejected', reason: error },
      ])
      expect(sent).toEqual(['[1 2]'])
    },
  )

  it('goes on after a statement that failed', async () => {
    const { sent, ask, next } = desk()
    const failure = ask(work('a', '1')).catch(String)
    await settled()
    const result = ask(work('a', '2'))
    await next(new Error('lost'))
    expect(await failure).toBe('Error: lost')
    expect(sent).toEqual(['1', '2'])
    await next()
    expect(await result).toBe('2 alone')
  })
})
