import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SpeechError } from '../domain/speech/speech-backend.js'
import { gatherMs, responseMs, streamBody, pieceMs, type StreamEnd } from './stream-body.js'
import { watchClient } from './operation-runner.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const kib64 = 64 * 1024
/** Its first byte is how much was made. */
const createPart = (made: number, length = 10) => new Uint8Array(length).fill(made)

/** A body of some work, with what is told of its end. */
async function start(
  work: AsyncIterable<ReturnType<typeof createPart>>,
  onEnd?: (end: StreamEnd) => Promise<void>,
) {
  const { body, ...others } = await startBody(work, { onEnd })
  if (body instanceof Uint8Array) expect.fail('The body was gathered.')
  return { reader: body.getReader(), ...others }
}

type StartOptions = {
  readonly onEnd?: ((end: StreamEnd) => Promise<void>) | undefined
  readonly inOnePiece?: boolean
  readonly caller?: AbortController
}

async function startBody(
  work: AsyncIterable<ReturnType<typeof createPart>>,
  {
    onEnd = async () => undefined,
    inOnePiece = false,
    caller = new AbortController(),
  }: StartOptions,
) {
  const ends: StreamEnd[] = []
  const client = watchClient(new Request('http://127.0.0.1/', { signal: caller.signal }))
  let made = 0
  const counted = async function* () {
    for await (const bytes of work) {
      made = bytes[0] ?? 0
      yield bytes
    }
  }
  const body = await streamBody(counted(), {
    client,
    inOnePiece,
    onEnd: async (end) => {
      ends.push(end)
      await onEnd(end)
    },
  })
  return { body, ends, caller, made: () => made }
}

async function* streamParts(...all: ReturnType<typeof createPart>[]) {
  yield* all
}

describe('a body', () => {
  it('ends after the output is charged', async () => {
    const order: string[] = []
    const { reader, ends } = await start(
      streamParts(createPart(1), createPart(2)),
      async () => void order.push('charged'),
    )
    while (!(await reader.read()).done) order.push('read')
    expect(order).toEqual(['read', 'read', 'charged'])
    expect(ends).toEqual([{ isWhole: true }])
  })

  it('fails when the charge fails', async () => {
    const { reader } = await start(streamParts(createPart(1)), async () => {
      throw new Error('no database')
    })
    await reader.read()
    await expect(reader.read()).rejects.toThrow('no database')
  })

  it('is split into chunks, and its work resumes when the last chunk is read', async () => {
    let asked = 0
    const work = async function* () {
      for (let made = 1; made <= 3; made++) {
        asked++
        yield createPart(made, 3 * kib64)
      }
    }
    const { reader } = await start(work())
    for (let piece = 1; piece <= 6; piece++) {
      expect((await reader.read()).value?.length).toBe(kib64)
      expect(asked).toBe(Math.ceil(piece / 3))
    }
  })

  it.each(['never read', 'read for a while'])(
    'that is %s is abandoned after a minute, and charged for what was made',
    async (kind) => {
      let isFree = false
      const work = async function* () {
        try {
          yield createPart(1)
          yield createPart(2)
          yield createPart(3)
        } finally {
          isFree = true
        }
      }
      const { reader, ends, made } = await start(work())
      if (kind === 'read for a while') {
        await vi.advanceTimersByTimeAsync(pieceMs - 1)
        await reader.read()
        await reader.read()
      }
      await vi.advanceTimersByTimeAsync(pieceMs - 1)
      expect([isFree, ends]).toEqual([false, []])
      await vi.advanceTimersByTimeAsync(1)
      expect([isFree, ends]).toEqual([true, [{ isWhole: false }]])
      expect(made()).toBe(kind === 'never read' ? 1 : 2)
      // also for a connection that asks for nothing more
      await expect(reader.closed).rejects.toThrow('aborted')
    },
  )

  it('that is read forever, slowly, is abandoned after an hour', async () => {
    const work = async function* () {
      for (let made = 1; ; made++) yield createPart(made)
    }
    const { reader, ends } = await start(work())
    const everyMs = Math.min(pieceMs, responseMs) / 2
    let readings = 0
    for (; ends.length === 0 && readings < 10_000; readings++) {
      await vi.advanceTimersByTimeAsync(everyMs)
      await reader.read().catch(() => undefined)
    }
    expect(readings).toBe(responseMs / everyMs)
  })

  it('of abandoned work is charged for what was made meanwhile', async () => {
    let goOn = () => undefined as void
    let isWaiting = () => undefined as void
    const waiting = new Promise<void>((resolve) => (isWaiting = resolve))
    const work = async function* () {
      yield createPart(1)
      isWaiting()
      await new Promise<void>((resolve) => (goOn = resolve))
      yield createPart(2)
      yield createPart(3)
    }
    const { reader, ends, caller, made } = await start(work())
    await reader.read()
    const next = reader.read()
    await waiting
    caller.abort()
    goOn()
    await expect(next).rejects.toThrow()
    await expect.poll(() => ends).toEqual([{ isWhole: false }])
    expect(made()).toBe(2)
  })

  it('fails with its work, which is distinguished from a slow reader', async () => {
    const failing = async function* (error: Error) {
      yield createPart(1)
      throw error
    }
    const broken = new Error('broken')
    for (const [error, end] of [
      [broken, { isWhole: false, fault: broken }],
      [new SpeechError('unread', 'Not read.'), { isWhole: false }],
    ] as const) {
      const { reader, ends } = await start(failing(error))
      await reader.read()
      await expect(reader.read()).rejects.toThrow(error)
      expect(ends).toEqual([end])
    }
  })
})

describe('a body in one piece', () => {
  it('is collected, and its end is left to the caller', async () => {
    const { body, ends, caller } = await startBody(streamParts(createPart(1), createPart(2)), {
      inOnePiece: true,
    })
    expect(body).toEqual(new Uint8Array([...createPart(1), ...createPart(2)]))
    caller.abort()
    await vi.runAllTimersAsync()
    expect(ends).toEqual([])
  })

  it('becomes a stream when it is long', async () => {
    const all = [createPart(1, kib64 - 1), createPart(2, 10), createPart(3, 3 * kib64)]
    const { body, ends } = await startBody(streamParts(...all), { inOnePiece: true })
    if (body instanceof Uint8Array) expect.fail('The body was gathered.')
    const bytes = new Uint8Array(await new Response(body).arrayBuffer())
    expect(Buffer.compare(bytes, Buffer.concat(all))).toBe(0)
    expect(ends).toEqual([{ isWhole: true }])
  })

  it.each(['ends', 'fails'])('becomes a stream when the work is slow, and %s', async (how) => {
    const slow = async function* () {
      yield createPart(1)
      await new Promise((resolve) => setTimeout(resolve, gatherMs + 1))
      if (how === 'fails') throw new Error('late')
      yield createPart(2)
    }
    const started = startBody(slow(), { inOnePiece: true })
    await vi.advanceTimersByTimeAsync(gatherMs)
    const { body, ends } = await started
    if (body instanceof Uint8Array) expect.fail('The body was gathered.')
    const reader = body.getReader()
    expect((await reader.read()).value).toEqual(createPart(1))
    await vi.advanceTimersByTimeAsync(1)
    if (how === 'fails') await expect(reader.read()).rejects.toThrow('late')
    else expect((await reader.read()).value).toEqual(createPart(2))
    if (how === 'ends') expect((await reader.read()).done).toBe(true)
    expect(ends).toEqual([
      how === 'ends' ? { isWhole: true } : { isWhole: false, fault: new Error('late') },
    ])
  })

  it('fails with its work', async () => {
    const failing = async function* () {
      yield createPart(1)
      throw new SpeechError('busy', 'Full.')
    }
    await expect(startBody(failing(), { inOnePiece: true })).rejects.toThrow('Full.')
  })

  it('is charged for what was made when its client disconnects', async () => {
    const caller = new AbortController()
    const ends: StreamEnd[] = []
    const left = async function* () {
      yield createPart(1)
      caller.abort()
      yield createPart(2)
    }
    const onEnd = async (end: StreamEnd) => void ends.push(end)
    await expect(startBody(left(), { inOnePiece: true, caller, onEnd })).rejects.toThrow()
    expect(ends).toEqual([{ isWhole: false }])
  })
})
