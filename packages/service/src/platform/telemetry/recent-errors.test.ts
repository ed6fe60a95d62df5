import { expect, it } from 'vitest'
import { createRecentErrors } from './recent-errors.js'

const record = { method: 'GET', ms: 1, caller: 'key', operation: 'getModel' } as const

it('a crash and its response are one error, and refusals of callers leave room for it', () => {
  let time = 0
  const errors = createRecentErrors(() => ++time)
  errors.crashed(new Error('tyre burst'), { requestId: 'a', operation: 'getModel' })
  errors.request({ ...record, requestId: 'a', status: 500, code: 'INTERNAL' })
  for (let count = 0; count < 1_000; count++)
    errors.request({ ...record, requestId: `b${count}`, status: 404 })
  errors.request({ ...record, requestId: 'c', status: 200 })
  errors.troubled('speech', new Error('no answer'))
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
  expect(all[0]).toMatchObject({ upstream: 'speech', message: 'no answer' })
  expect(all[1]).toMatchObject({ requestId: 'b999' })
})
