import { readValue } from './values.js'
import type { OfficeFile } from './office-file.js'
import { readXml } from './xml.js'

/** What an ActiveX control shows: its caption and its value, where the file states them as text. */
export function readActiveX(file: OfficeFile, path: string): readonly string[] {
  const shown: string[] = []
  let isReadable = false
  readXml(file.archive, path, 'control', file.limits, {
    open(name, attributes) {
      if (name !== 'ocxPr') return
      isReadable = true
      const property = readValue(attributes, 'name') ?? ''
      const value = readValue(attributes, 'value') ?? ''
      if (
        /^(?:caption|text)$/i.test(property) ||
        (/^value$/i.test(property) && !/^-?\d*$/.test(value))
      )
        shown.push(value)
    },
  })
  if (!isReadable) file.warnings.add('unread_parts')
  for (const text of shown) file.characters.spend(text.length)
  return shown.filter((text) => text.trim() !== '')
}
