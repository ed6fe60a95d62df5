import { utils, write } from 'cfb'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFormControl } from './form-control.js'

const checkBox =
  '000244004601c080010000000d0000800a00008004000000010000800e00008006000080d91000000707000031006f00437573746f6d2043617074696f6e0000536865657431204300'
const button = '00022400a80000000e000080ffff0000436f6d6d616e64427574746f6e310000d8130000cd0b0000'
const checkBoxClass = '{8BD21D40-EC42-11CE-9E0D-00AA006002F3}'

/** A control behind its class. */
const createStream = (hex: string) => Buffer.concat([Buffer.alloc(16), Buffer.from(hex, 'hex')])
/** A control in a compound file. */
const createStorage = (hex: string): Uint8Array => {
  const container = utils.cfb_new()
  utils.cfb_add(container, '/contents', [...Buffer.from(hex, 'hex')])
  return new Uint8Array(write(container, { type: 'buffer' }) as Buffer)
}

describe('a control of Microsoft Forms', () => {
  it.each([
    ['a check box', createStream(checkBox), checkBoxClass, '☒ Custom Caption'],
    ['a check box in a compound file', createStorage(checkBox), checkBoxClass, '☒ Custom Caption'],
    ['a button', createStream(button), '{D7053240-CE69-11CD-A777-00DD01143C57}', 'CommandButton1'],
    [
      'a control of others',
      createStream(button),
      '{00000000-0000-0000-0000-000000000000}',
      undefined,
    ],
    ['a control that is cut off', createStream(checkBox.slice(0, 20)), checkBoxClass, undefined],
  ])('shows the text of %s', (_, bytes, classId, text) => {
    expect(readFormControl(bytes, classId)).toBe(text)
  })

  it('that is damaged returns some text or none, in time', () => {
    const whole = createStorage(checkBox)
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = whole.slice()
        for (const [at, byte] of changes) bytes[at] = byte
        expect(['string', 'undefined']).toContain(typeof readFormControl(bytes, checkBoxClass))
      }),
      { numRuns: 300 },
    )
  })
})
