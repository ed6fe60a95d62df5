import { find, read } from 'cfb'
import { type OfficeFile, findRelationshipId } from '../package/office-file.js'
import { readValue, readXml } from '../package/xml.js'

/** What an ActiveX control shows: its caption and its value. */
export function readActiveX(file: OfficeFile, path: string): readonly string[] {
  const lines: string[] = []
  let isReadable = false
  readXml(file.archive, path, 'control', file.limits, {
    open(name, attributes) {
      if (name === 'ocx') {
        const id = findRelationshipId(attributes)
        const binary = file.links(path).find((link) => link.id === id && link.path !== '')
        const text = binary && readBinary(file, binary.path, readValue(attributes, 'classid') ?? '')
        isReadable ||= text !== undefined
        if (text !== undefined) lines.push(text)
      }
      if (name !== 'ocxPr') return
      isReadable = true
      const property = readValue(attributes, 'name') ?? ''
      const value = readValue(attributes, 'value') ?? ''
      if (
        /^(?:caption|text)$/i.test(property) ||
        (/^value$/i.test(property) && !/^-?\d*$/.test(value))
      )
        lines.push(value)
    },
  })
  if (!isReadable) file.warnings.add('unread_parts')
  for (const text of lines) file.characters.spend(text.length)
  return lines.filter((text) => text.trim() !== '')
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

/** The size of each property in the order of its bit. 0: none, or not in this block. */
type Layout = {
  readonly maskBytes: 4 | 8
  readonly sizes: readonly number[]
  readonly caption: number
}

// [MS-OFORMS] 2.2.1, 2.2.3 and 2.2.5
const button: Layout = { maskBytes: 4, sizes: [4, 4, 4, 4, 4, 0, 1, 2, 2, 0, 2], caption: 3 }
const label: Layout = { maskBytes: 4, sizes: [4, 4, 4, 4, 4, 0, 1, 4, 2, 2, 2, 2, 2], caption: 3 }
const morph: Layout = {
  maskBytes: 8,
  sizes: [
    4, 4, 4, 4, 1, 1, 1, 1, 0, 2, 4, 2, 2, 2, 2, 2, 1, 1, 1, 0, 1, 1, 4, 4, 4, 4, 4, 2, 2, 2, 0, 0,
    4,
  ],
  caption: 23,
}
const valueBit = 22

type Control = { readonly layout: Layout; readonly hasBox?: boolean; readonly showsValue?: boolean }

const controls: ReadonlyMap<string, Control> = new Map([
  ['D7053240-CE69-11CD-A777-00DD01143C57', { layout: button }],
  ['978C9E23-D4B0-11CE-BF2D-00AA003F40D0', { layout: label }],
  ['8BD21D10-EC42-11CE-9E0D-00AA006002F3', { layout: morph, showsValue: true }],
  ['8BD21D20-EC42-11CE-9E0D-00AA006002F3', { layout: morph, showsValue: true }],
  ['8BD21D30-EC42-11CE-9E0D-00AA006002F3', { layout: morph, showsValue: true }],
  ['8BD21D40-EC42-11CE-9E0D-00AA006002F3', { layout: morph, hasBox: true }],
  ['8BD21D50-EC42-11CE-9E0D-00AA006002F3', { layout: morph, hasBox: true }],
  ['8BD21D60-EC42-11CE-9E0D-00AA006002F3', { layout: morph }],
])

/**
 * What a control of Microsoft Forms shows, from its binary form. Undefined for other or damaged
 * controls.
 */
export function readFormControl(bytes: Uint8Array, classId: string): string | undefined {
  const control = controls.get(classId.replaceAll(/[{}]/g, '').toUpperCase())
  if (control === undefined) return undefined
  try {
    const { caption, value } = readStrings(findContents(bytes), control.layout)
    if (control.showsValue === true) return value
    return control.hasBox === true ? `${value === '1' ? '☒' : '☐'} ${caption}`.trim() : caption
  } catch {
    return undefined
  }
}

/** The control follows its class, or is a stream of a compound file. */
function findContents(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0xd0 || bytes[1] !== 0xcf) return bytes.subarray(16)
  return Uint8Array.from(find(read(bytes, { type: 'array' }), 'contents')?.content ?? [])
}

function readStrings(bytes: Uint8Array, { maskBytes, sizes, caption }: Layout) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mask = maskBytes === 4 ? BigInt(view.getUint32(4, true)) : view.getBigUint64(4, true)
  const has = (bit: number) => ((mask >> BigInt(bit)) & 1n) === 1n
  const lengths = new Map<number, number>()
  let at = 4 + maskBytes
  sizes.forEach((size, bit) => {
    if (size === 0 || !has(bit)) return
    at = align(at, size)
    if (size === 4) lengths.set(bit, view.getUint32(at, true))
    at += size
  })
  at = align(at, 4)
  if (maskBytes === 8 && has(8)) at += 8
  const next = (bit: number): string => {
    const length = lengths.get(bit) ?? 0
    const size = length & 0x7fff_ffff
    const start = at
    at = align(at + size, 4)
    // the highest bit says that each character has one byte
    const isLatin = length > 0x7fff_ffff
    return Buffer.from(bytes.subarray(start, start + size)).toString(isLatin ? 'latin1' : 'utf16le')
  }
  const value = maskBytes === 8 ? next(valueBit) : ''
  return { value, caption: next(caption) }
}

function align(at: number, size: number): number {
  return Math.ceil(at / size) * size
}
