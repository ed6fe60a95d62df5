import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { terminalAsk } from './ask.js'

function terminal(isTTY: boolean) {
  return {
    in: Object.assign(new PassThrough(), { isTTY }),
    err: Object.assign(new PassThrough(), { isTTY }),
  }
}

it('asks at a terminal alone', async () => {
  expect(terminalAsk(terminal(false))).toBeUndefined()
  expect(terminalAsk({ ...terminal(true), err: terminal(false).err })).toBeUndefined()
  const streams = terminal(true)
  const answer = terminalAsk(streams)?.('Is it? ')
  streams.in.write('y\n')
  expect(await answer).toBe('y')
  expect(String(streams.err.read())).toContain('Is it? ')
})

it('takes an end of the input as no answer', async () => {
  const streams = terminal(true)
  const answer = terminalAsk(streams)?.('Is it? ')
  streams.in.end()
  expect(await answer).toBe('')
})
