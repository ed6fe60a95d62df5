import { expect, it } from 'vitest'
import { StorageError } from '../platform/database/storage-error.js'
import { describeFailure } from './run-command.js'

it('prints errors that an operator can act on verbatim', () => {
  expect(describeFailure(new StorageError('The disk is full.'), 'debug')).toBe('The disk is full.')
})

it('shows the stack of an unexpected error only on request', () => {
  const surprise = new TypeError('x is not a function\n    in two lines')
  expect(describeFailure(surprise, 'info')).toBe(
    'The service cannot go on (x is not a function). Run it with --log-level debug to see where that happened.',
  )
  expect(describeFailure(surprise, 'debug')).toContain('failure-sentence.test.ts')
  expect(describeFailure('gone', 'info')).toContain('cannot go on (the system gives no reason)')
})
