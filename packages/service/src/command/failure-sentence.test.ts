import { expect, it } from 'vitest'
import { StorageError } from '../platform/database/storage-error.js'
import { describeFailure } from './run-command.js'

it('says what an operator can act on as it is', () => {
  expect(describeFailure(new StorageError('The disk is full.'), 'debug')).toBe('The disk is full.')
})

it('shows the stack of a surprise to those alone who ask for it', () => {
  const surprise = new TypeError('x is not a function\n    in two lines')
  expect(describeFailure(surprise, 'info')).toBe(
    'The service cannot go on (x is not a function). Run it with --log-level debug to see where that happened.',
  )
  expect(describeFailure(surprise, 'debug')).toContain('failure-sentence.test.ts')
  expect(describeFailure('gone', 'info')).toContain('cannot go on (the system gives no reason)')
})
