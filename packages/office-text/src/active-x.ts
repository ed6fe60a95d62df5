import { readFormControl } from './form-control.js'
import type { OfficeFile } from './office-file.js'
import { relationshipId } from './relationships.js'
import { readValue } from './values.js'
import { readXml } from './xml.js'

/** What an ActiveX control shows: its caption and its value. */
export function readActiveX(file: OfficeFile, path: string): readonly string[] {
  const shown: string[] = []
  let isReadable = false
  readXml(file.archive, path, 'control', file.limits, {
    open(name, attributes) {
      if (name === 'ocx') {
        const id = relationshipId(attributes)
        const binary = file.links(path).find((link) => link.id === id && link.path !== '')
        const text = binary && readBinary(file, binary.path, readValue(attributes, 'classid') ?? '')
        isReadable ||= text !== undefined
        if (text !== undefined) shown.push(text)
      }
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

/** A larger one holds a picture. */
const maxBytes = 4 * 1024 * 1024

function readBinary(file: OfficeFile, path: string, classId: string): string | undefined {
  const pieces: Uint8Array[] = []
  let length = 0
  file.archive.read(path, (piece) => {
    length += piece.length
    if (length <= maxBytes) pieces.push(piece.slice())
  })
  return length > maxBytes ? undefined : readFormControl(Buffer.concat(pieces), classId)
}
