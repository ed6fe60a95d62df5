import { describe, expect, it } from 'vitest'
import { createNarrator, describeError } from './narration.js'

const ignoreStyle = (_style: string, text: string) => text

function record() {
  let text = ''
  return {
    write: (part: string) => void (text += part),
    text: () => text.replaceAll(/\d+\.\d s/g, '_ s'),
  }
}

describe('a step', () => {
  it('is one line in a log, with its outcome below', async () => {
    const out = record()
    const { step } = createNarrator(out, ignoreStyle)
    expect(
      await step(
        'Count',
        async () => 7,
        (count) => `${count}\ntrams`,
      ),
    ).toBe(7)
    expect(out.text()).toMatch(/^ {2}✓ Count {42} +_ s\n {6}7\n {6}trams\n$/)
  })

  it('is marked where it failed, and fails with the error of its work', async () => {
    const out = record()
    const failing = createNarrator(out, ignoreStyle).step(
      'Count',
      () => Promise.reject(new Error('no trams')),
      () => 'nothing',
    )
    await expect(failing).rejects.toThrow('no trams')
    expect(out.text()).toMatch(/^ {2}✗ Count {42} +_ s\n$/)
  })
})

describe('a cause', () => {
  it('names the file that cannot be written, and the remedy', () => {
    const error = Object.assign(new Error('EACCES: permission denied'), {
      code: 'EACCES',
      path: '/closed/farebox',
    })
    expect(describeError(error)).toBe(
      '/closed/farebox cannot be written. Set TMPDIR to a folder that can be written, and try again.',
    )
  })

  it('is the message of any other error', () => {
    expect(describeError(new Error('Port 4020 is in use.'))).toBe('Port 4020 is in use.')
    expect(describeError('a word')).toBe('a word')
  })
})
