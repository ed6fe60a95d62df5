import { describe, expect, it } from 'vitest'
import { FareboxError } from 'farebox'
import { CommandError, UsageError } from '../command.js'
import { explain as explained } from './explain.js'
import { rememberRepeatKey } from './paid-call.js'

const explain = (error: unknown, isAborted: boolean, caller?: 'wallet' | 'key') =>
  explained(error, { isAborted, caller })

describe('explain', () => {
  it('distinguishes wrong usage, a rejection, a system error and an internal error by exit code', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    })
    expect(explain(new UsageError('What?'), false)).toEqual({
      exitCode: 2,
      code: 'usage',
      message: 'What?',
    })
    expect(explain(new CommandError('exists', 'No.'), false)).toEqual({
      exitCode: 1,
      code: 'exists',
      message: 'No.',
    })
    expect(explain(full, false)).toEqual({
      exitCode: 1,
      code: 'enospc',
      message: 'ENOSPC: no space left on device, write',
    })
    expect(explain(new TypeError('x is undefined'), false)).toEqual({
      exitCode: 70,
      code: 'internal',
      message: 'This is a bug in farebox. TypeError: x is undefined',
      advice: 'Please report it, with the command that you ran.',
    })
    expect(explain(new Error('anything'), true)).toEqual({
      exitCode: 130,
      code: 'aborted',
      message: 'Interrupted.',
    })
  })

  it('shows no stack trace', () => {
    expect(JSON.stringify(explain(new RangeError('x'), false))).not.toMatch(/\bat |\.ts:/)
  })

  it.each([
    ['invalid_input', 2],
    ['configuration', 2],
    ['aborted', 130],
    ['http_500', 1],
  ])('exits with the code of %s: %i', (code, exitCode) => {
    expect(explain(new FareboxError('no', { code }), false).exitCode).toBe(exitCode)
  })

  it('says when to retry, and with which key the retry is not paid twice', async () => {
    const lost = new FareboxError('parseText: lost', {
      code: 'lost_response',
      operation: 'parseText',
      mayHaveArrived: true,
      retryAt: 0,
    })
    const thrown: unknown = await rememberRepeatKey('key-1', () => Promise.reject(lost)).catch(
      (error: unknown) => error,
    )
    expect(explain(thrown, false)).toMatchObject({
      advice: [
        'Check --base-url, and that the service is running.',
        'The work may have been done and charged. Repeat the command with --idempotency-key key-1: nothing is done or charged twice.',
        'Try again after 1970-01-01T00:00:00.000Z.',
      ].join('\n'),
      facts: {
        operation: 'parseText',
        mayHaveArrived: true,
        idempotencyKey: 'key-1',
        retryAt: '1970-01-01T00:00:00.000Z',
      },
    })
  })

  it('never suggests a second payment', () => {
    for (const code of ['outcome_unknown', 'aborted', 'timeout']) {
      const { advice } = explain(
        new FareboxError('topUp: ?', { code, operation: 'topUp', mayHaveArrived: true }),
        false,
      )
      expect(advice).toBe('Check farebox balance before you buy again.')
    }
  })

  it('suggests the timeout option after a timeout, and the checks after an unexpected response', () => {
    const cause = new Error('its response was lost', {
      cause: Object.assign(new Error('No response came'), { name: 'TimeoutError' }),
    })
    const late = new FareboxError('listModels: lost', {
      code: 'lost_response',
      operation: 'listModels',
      cause,
    })
    expect(explain(late, false).advice).toMatch(/^An attempt took longer than --timeout allows/)
    const other = new FareboxError('listModels: 404', {
      code: 'unexpected_response',
      operation: 'listModels',
      status: 404,
    })
    expect(explain(other, false).advice).toBe(
      'Check --base-url: farebox whoami --check shows what responds there.',
    )
  })

  it.each([
    ['API_KEY_USD_SPEND_LIMIT_EXCEEDED', 'key', /^This is the limit of the key/],
    ['INSUFFICIENT_BALANCE', 'key', /a key cannot buy any\.$/],
    ['insufficient_balance', 'wallet', /farebox top-up 10 buys more/],
    ['http_402', undefined, /^Set FAREBOX_API_KEY, or/],
  ] as const)('tells a caller without credit (%s, %s) what to do', (code, caller, advice) => {
    const error = new FareboxError('parseText: 402 no', {
      code,
      operation: 'parseText',
      status: 402,
    })
    expect(explain(error, false, caller).advice).toMatch(advice)
  })
})
