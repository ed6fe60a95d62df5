import { expect, it } from 'vitest'
import { createLog } from './log.js'
import {
  findActiveSpan,
  runInOpenSpan,
  runInSpan,
  keepSpansOpen,
  runOutsideSpans,
  streamInSpan,
  bindActiveSpan,
  type Span,
} from './spans.js'

/** A span that notes what happens to it and to those below it. */
function createSpan(name: string, notes: string[]): Span {
  return {
    trace_id: 'trace',
    span_id: name,
    child: (start) => {
      notes.push(`${name} > ${start.name}`)
      return createSpan(start.name, notes)
    },
    rename: () => undefined,
    set: () => undefined,
    fail: (type) => void notes.push(`${name} fails: ${type}`),
    end: () => void notes.push(`${name} ends`),
    headers: () => ({}),
  }
}

it('only runs the work if no span is active', async () => {
  expect(await runInSpan({ name: 'work' }, async (own) => [own, findActiveSpan()])).toEqual([
    undefined,
    undefined,
  ])
})

it('nests spans, and ends them with their work', async () => {
  const notes: string[] = []
  await runInOpenSpan(createSpan('request', notes), async () => {
    await runInSpan({ name: 'a' }, async () => runInSpan({ name: 'b' }, async () => undefined))
    await runInSpan({ name: 'c' }, () => Promise.reject(new TypeError('no'))).catch(() => undefined)
    await runOutsideSpans(() => runInSpan({ name: 'apart' }, async () => undefined))
  })
  expect(notes).toEqual([
    'request > a',
    'a > b',
    'b ends',
    'a ends',
    'request > c',
    'c fails: TypeError',
    'c ends',
    'request ends',
  ])
})

it('keeps spans open for a stream that outlives their work, whoever reads it', async () => {
  const notes: string[] = []
  let end: () => void = () => undefined
  async function* work() {
    yield findActiveSpan()?.span_id
    yield await runInSpan({ name: 'inner' }, async () => findActiveSpan()?.span_id)
  }
  const { stream, later } = await runInOpenSpan(createSpan('request', notes), async () => {
    keepSpansOpen(new Promise<void>((resolve) => (end = resolve)))
    const items = streamInSpan({ name: 'stream' }, work)
    return {
      stream: { first: await items.next(), items },
      later: bindActiveSpan((work: () => unknown) => work()),
    }
  })
  expect(stream.first.value).toBe('stream')
  expect((await stream.items.next()).value).toBe('inner')
  expect((await stream.items.next()).done).toBe(true)
  expect(later(() => findActiveSpan()?.span_id)).toBe('request')
  expect(notes).toEqual(['request > stream', 'stream > inner', 'inner ends', 'stream ends'])
  end()
  await expect.poll(() => notes.at(-1)).toBe('request ends')
})

it('adds span ids to log records', async () => {
  const lines: string[] = []
  const log = createLog({
    level: 'info',
    format: 'json',
    write: (line) => lines.push(line),
    now: () => 0,
  })
  await runInOpenSpan(createSpan('request', []), async () => log.info('in it'))
  log.info('outside')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      message: 'in it',
      trace_id: 'trace',
      span_id: 'request',
    },
    { time: '1970-01-01T00:00:00.000Z', level: 'info', message: 'outside' },
  ])
})
