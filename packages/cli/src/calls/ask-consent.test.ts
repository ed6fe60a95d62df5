import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { askConsent } from './confirm.js'

const question = {
  policyText: 'You have their consent.\u001b[2J',
  roles: ['image_url'],
  message: 'There is a face.',
}
const createStreams = (isTTY: boolean) => ({
  in: Object.assign(new PassThrough(), { isTTY }),
  err: Object.assign(new PassThrough(), { isTTY }),
})
const never = new AbortController().signal

describe('askConsent', () => {
  it.each([
    ['yes\n', true],
    [' Yes \n', true],
    ['y\n', false],
    ['\n', false],
  ])('treats %j as %s', async (typed, verdict) => {
    const terminal = createStreams(true)
    terminal.in.write(typed)
    expect(await askConsent(terminal, question, false, never)).toBe(verdict)
    const shown = String(terminal.err.read())
    expect(shown).toContain('There is a face. (image_url)\n\nYou have their consent.')
    expect(shown).not.toContain('\u001b[2J')
  })

  it('treats a missing terminal as no, and the command line option as yes', async () => {
    expect(await askConsent(createStreams(false), question, false, never)).toBe(false)
    expect(await askConsent(createStreams(false), question, true, never)).toBe(true)
  })
})
