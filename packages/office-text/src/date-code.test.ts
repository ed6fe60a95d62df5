import { describe, expect, it } from 'vitest'
import { isDateCode } from './date-code.js'

describe('a number format', () => {
  it.each([
    'yyyy-mm-dd',
    'DD.MM.YY',
    'h:mm AM/PM',
    '[h]:mm:ss',
    '[$-409]d/m/yyyy;@',
    '"on "d',
    'mm\\-dd',
    '0;yyyy'.slice(2),
    '_(* d_)',
  ])('%s shows a date', (code) => expect(isDateCode(code)).toBe(true))

  it.each([
    '',
    '0.00',
    'General',
    '#,##0.00 "days"',
    '[Red]0',
    '0;yyyy',
    '0 \\d',
    '0_m',
    '*s0',
    '"d',
    '[d',
    '"a;b" 0',
    '[$USD]0',
    'General"d"',
  ])('%j shows none', (code) => expect(isDateCode(code)).toBe(false))
})
