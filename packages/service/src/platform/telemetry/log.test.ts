import { expect, it } from 'vitest'
import { type RequestRecord, createLog, type LogOptions, createRecentErrors } from './log.js'

const record: RequestRecord = {
  requestId: 'req_1',
  method: 'POST',
  operation: 'topUp',
  status: 200,
  ms: 1.2345,
  caller: 'wallet',
}

function collectLines(
  options: Partial<LogOptions>,
  work: (log: ReturnType<typeof createLog>) => void,
): string[] {
  const written: string[] = []
  work(
    createLog({
      level: 'info',
      format: 'json',
      write: (line) => written.push(line),
      now: () => 1_767_323_045_000,
      ...options,
    }),
  )
  return written
}

it('writes one line of JSON per request', () => {
  expect(collectLines({}, (log) => log.request(record))).toEqual([
    '{"time":"2026-01-02T03:04:05.000Z","level":"info","message":"request","requestId":"req_1","method":"POST","operation":"topUp","status":200,"ms":1.2,"caller":"wallet"}\n',
  ])
})

it('writes readable text', () => {
  expect(
    collectLines({ format: 'text' }, (log) => {
      log.request({ ...record, status: 402, code: 'X' })
      log.info('two words', { a: 'b c', d: undefined })
    }),
  ).toEqual([
    '2026-01-02T03:04:05.000Z info request requestId=req_1 method=POST operation=topUp status=402 code=X ms=1.2 caller=wallet\n',
    '2026-01-02T03:04:05.000Z info two words a="b c"\n',
  ])
})

it('writes records at or above the level, one line each', () => {
  const all = (log: ReturnType<typeof createLog>) => {
    log.request(record)
    log.request({ ...record, status: 503 })
    log.crash(new Error('two\nlines'), { requestId: 'req_2' })
  }
  const levels = (level: LogOptions['level']) =>
    collectLines({ level }, all).map((line) => (JSON.parse(line) as { level: string }).level)
  expect(levels('info')).toEqual(['info', 'warn', 'error'])
  expect(levels('warn')).toEqual(['warn', 'error'])
  expect(levels('silent')).toEqual([])
  for (const format of ['json', 'text'] as const)
    for (const line of collectLines({ format }, all)) expect(line.trimEnd()).not.toContain('\n')
})

it('writes an upstream problem at most once a minute, with the number of occurrences since', () => {
  let time = 0
  const written = collectLines({ now: () => time }, (log) => {
    const fails = (block: number | string, upstream = 'database') =>
      log.trouble(new Error(`could not extend file "base/${block}"`), { upstream })
    fails(1)
    fails('22_fsm')
    fails(3, 'text')
    time = 60_000
    fails(4)
    fails(5)
  })
  expect(written.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { upstream: 'database', trouble: 'could not extend file "base/1"' },
    { upstream: 'text' },
    { upstream: 'database', trouble: 'could not extend file "base/4"', more: 1 },
  ])
})

const response = { method: 'GET', ms: 1, caller: 'key', operation: 'getModel' } as const

it('counts a crash and its response as one error, and keeps it among many rejections', () => {
  let time = 0
  const errors = createRecentErrors(() => ++time)
  errors.crashed(new Error('tyre burst'), { requestId: 'a', operation: 'getModel' })
  errors.request({ ...response, requestId: 'a', status: 500, code: 'INTERNAL' })
  for (let count = 0; count < 1_000; count++)
    errors.request({ ...response, requestId: `b${count}`, status: 404 })
  errors.request({ ...response, requestId: 'c', status: 200 })
  errors.troubled('speech', new Error('no response'))
  expect(errors.list('a')).toEqual([
    {
      time: 1,
      requestId: 'a',
      operation: 'getModel',
      status: 500,
      code: 'INTERNAL',
      message: 'tyre burst',
    },
  ])
  const all = errors.list()
  expect(all).toHaveLength(202)
  expect(all[0]).toMatchObject({ upstream: 'speech', message: 'no response' })
  expect(all[1]).toMatchObject({ requestId: 'b999' })
})
