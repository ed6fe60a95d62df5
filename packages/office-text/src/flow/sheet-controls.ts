import { ExtractTextError } from '../findings.js'
import type { OfficeFile } from '../package/office-file.js'
import { readXml } from '../package/xml.js'

/** A form control of a sheet. `shown` is its caption behind its box. */
export type SheetControl = { readonly caption: string; readonly shown: string }

/** Comments are shapes, too. */
const types: ReadonlySet<string> = new Set(
  'Button Checkbox Dialog Edit GBox Label Radio'.split(' '),
)

/** The form controls in the VML drawing of a sheet (ECMA-376 part 4, 19.4.2), in their order. */
export function readSheetControls(file: OfficeFile, path: string): readonly SheetControl[] {
  const controls: SheetControl[] = []
  let caption = ''
  let type = ''
  let state = ''
  let isInBox = false
  let isChecked = false
  const finish = (): void => {
    const text = caption.replaceAll(/\s+/g, ' ').trim()
    if (!types.has(type) || text === '') return
    const box = isChecked ? '☒ ' : '☐ '
    file.characters.spend(text.length)
    controls.push({
      caption: text,
      shown: type === 'Checkbox' || type === 'Radio' ? box + text : text,
    })
  }
  try {
    readXml(file.archive, path, 'drawing', file.limits, {
      open(name, attributes) {
        if (name === 'shape') [caption, type, isChecked] = ['', '', false]
        else if (name === 'textbox') isInBox = true
        else if (name === 'ClientData') type = attributes['ObjectType'] ?? ''
        else if (name === 'Checked') state = ''
      },
      text(text) {
        if (isInBox) caption += text
        state += text
      },
      close(name) {
        if (name === 'textbox') isInBox = false
        else if (name === 'Checked') isChecked = state.trim() === '1'
        else if (name === 'shape') finish()
      },
    })
  } catch (error) {
    if (!(error instanceof ExtractTextError) || error.code !== 'corrupt') throw error
    // VML of older programs is not always XML
    file.warnings.add('unread_parts')
  }
  return controls
}
