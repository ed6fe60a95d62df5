import { afterEach, describe, expect, it } from 'vitest'
import { createTaskThread, type TaskThread } from './task-thread.js'

let thread: TaskThread
afterEach(() => thread.close())
const { signal } = new AbortController()

const sample = (caller: string, seed: number, stop = signal) =>
  thread.run(caller, { kind: 'sample', schema: { const: seed }, seed, field: 'schema' }, stop)

/** A JSON Schema whose check takes longer than a thread gets. */
const endless = { const: `${'a'.repeat(40)}!`, pattern: '^(a+)+$' }

/** The codes with which work fails; undefined for what did not. */
const catchErrorCodes = async (work: readonly Promise<unknown>[]): Promise<readonly unknown[]> =>
  (await Promise.allSettled(work)).map((one) =>
    one.status === 'rejected' ? (one.reason as { readonly code?: unknown }).code : undefined,
  )

describe('tasks of a thread', () => {
  it('come in turns of their callers', async () => {
    thread = createTaskThread()
    const order: string[] = []
    const run = async (caller: string, seed: number) =>
      void order.push(`${caller} ${await sample(caller, seed)}`)
    await Promise.all([run('a', 1), run('a', 2), run('a', 3), run('b', 4), run('c', 5)])
    expect(order).toEqual(['a 1', 'b 4', 'c 5', 'a 2', 'a 3'])
  })

  it('are rejected when too many wait, and taken again later', async () => {
    thread = createTaskThread({ maxWaiting: 2 })
    const taken = [sample('a', 1), sample('a', 2), sample('a', 3)]
    await expect(sample('a', 4)).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 5 })
    expect(thread.load()).toEqual({ busy: 1, waiting: 2 })
    expect(await Promise.all(taken)).toEqual(['1', '2', '3'])
    expect(await sample('a', 5)).toBe('5')
    expect(thread.load()).toEqual({ busy: 0, waiting: 0 })
  })

  it('do not wait for one that never ends', async () => {
    thread = createTaskThread({ timeoutScale: 0.5 })
    const task = { kind: 'sample', schema: endless, seed: 1, field: 'tools.x' } as const
    const stuck = thread.run('a', task, signal)
    const next = sample('b', 2)
    await expect(stuck).rejects.toMatchObject({
      code: 'rejected',
      message: 'tools.x: the JSON Schema is too complex.',
    })
    expect(await next).toBe('2')
  })

  it('end when their caller leaves, running or not', async () => {
    thread = createTaskThread()
    const caller = new AbortController()
    const [running, waiting, other] = [
      sample('a', 1, caller.signal),
      sample('a', 2, caller.signal),
      sample('b', 3),
    ]
    caller.abort()
    expect(await catchErrorCodes([running, waiting, sample('a', 4, caller.signal)])).toEqual([
      'unread',
      'unread',
      'unread',
    ])
    expect(await other).toBe('3')
  })

  it('fail with the thread, whose successor does the next', async () => {
    thread = createTaskThread({ workerUrl: new URL('data:text/javascript,process.exit(1)') })
    await expect(sample('a', 1)).rejects.toMatchObject({ code: 'failed' })
    await expect(sample('a', 2)).rejects.toMatchObject({ code: 'failed' })
  })

  it('end when the thread is closed', async () => {
    thread = createTaskThread()
    const all = catchErrorCodes([sample('a', 1), sample('b', 2)])
    await thread.close()
    expect(await all).toEqual(['busy', 'busy'])
    expect(await catchErrorCodes([sample('a', 3)])).toEqual(['busy'])
  })
})
