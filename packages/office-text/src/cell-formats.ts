import { createNumberFormat, formatString } from './number-format.js'
import type { OfficeFile } from './office-file.js'
import { readXml } from './xml.js'

/** The text of cells by the index of their style. */
export type CellFormats = {
  number(value: string, style: number): string
  string(text: string, style: number): string
}

/** The number formats of a workbook: those that it defines, and those that every program knows. */
export function readCellFormats(
  { archive, limits }: OfficeFile,
  styles: string | undefined,
  date1904: boolean,
): CellFormats {
  const custom = new Map<string, string>()
  const cells: string[] = []
  let within = ''
  if (styles !== undefined)
    readXml(archive, styles, 'list of styles', limits, {
      open(name, attributes) {
        // a format within `dxfs` belongs to a rule, not to a cell
        if (name === 'numFmts' || name === 'cellXfs' || name === 'dxfs') within = name
        else if (name === 'numFmt' && within === 'numFmts')
          custom.set(attributes['numFmtId'] ?? '', attributes['formatCode'] ?? '')
        else if (name === 'xf' && within === 'cellXfs') cells.push(attributes['numFmtId'] ?? '0')
      },
      close(name) {
        if (name === within) within = ''
      },
    })

  const codes = cells.map((id) => custom.get(id) ?? builtIn(Number(id)))
  const format = createNumberFormat(date1904)
  return {
    number: (value, style) => format(value, codes[style] ?? ''),
    string: (text, style) => formatString(text, codes[style] ?? ''),
  }
}

/**
 * The formats without a definition in the file (ECMA-376 part 1, 18.8.30): 27 to 36 and 50 to 58
 * are dates in the lists of East Asia, and 59 to 81 are the Thai list.
 */
function builtIn(id: number): string {
  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return 'yyyy-mm-dd h:mm'
  return builtInCodes[id] ?? ''
}

const builtInCodes: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0;\\-$#,##0',
  6: '$#,##0;[Red]\\-$#,##0',
  7: '$#,##0.00;\\-$#,##0.00',
  8: '$#,##0.00;[Red]\\-$#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0;\\-#,##0',
  38: '#,##0;[Red]\\-#,##0',
  39: '#,##0.00;\\-#,##0.00',
  40: '#,##0.00;[Red]\\-#,##0.00',
  41: '#,##0;\\-#,##0;"-"',
  42: '$#,##0;\\-$#,##0;$"-"',
  43: '#,##0.00;\\-#,##0.00;"-"??',
  44: '$#,##0.00;\\-$#,##0.00;$"-"??',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
  59: '0',
  60: '0.00',
  61: '#,##0',
  62: '#,##0.00',
  67: '0%',
  68: '0.00%',
  69: '# ?/?',
  70: '# ??/??',
  71: 'd/m/yyyy',
  72: 'd-mmm-yy',
  73: 'd-mmm',
  74: 'mmm-yy',
  75: 'h:mm',
  76: 'h:mm:ss',
  77: 'd/m/yyyy h:mm',
  78: 'mm:ss',
  79: '[h]:mm:ss',
  80: 'mm:ss.0',
  81: 'd/m/yyyy',
}
