import { expect, it } from 'vitest'
import { formatListNumber } from './list-number.js'

it.each<[value: number, system: string, text: string]>([
  [12, 'decimal', '12'],
  [7, 'decimalZero', '07'],
  [7, 'decimal000', '0007'],
  [1994, 'upperRoman', 'MCMXCIV'],
  [4, 'lowerRoman', 'iv'],
  [28, 'upperLetter', 'BB'],
  [0, 'lowerLetter', '0'],
  [22, 'ordinal', '22nd'],
  [112, 'ordinal', '112th'],
  [21, 'cardinalText', 'Twenty-one'],
  [1105, 'cardinalText', 'One thousand one hundred five'],
  [32, 'ordinalText', 'Thirty-second'],
  [40, 'ordinalText', 'Fortieth'],
  [3, 'decimalEnclosedCircle', '③'],
  [21, 'decimalEnclosedCircle', '21'],
  [10, 'chineseCounting', '十'],
  [21, 'chineseCountingThousand', '二十一'],
  [103, 'chineseCountingThousand', '一百零三'],
  [11, 'ideographLegalTraditional', '壹拾壹'],
  [2, 'ideographTraditional', '乙'],
  [3, 'russianLower', 'в'],
  [2, 'ganada', '나'],
  [12, 'thaiNumbers', '๑๒'],
  [5, 'bullet', ''],
  [5, 'a later system', '5'],
])('%d in %s is %j', (value, system, text) => {
  expect(formatListNumber(value, system)).toBe(text)
})
