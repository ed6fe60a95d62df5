import type { OfficeFile } from '../package/office-file.js'
import { readInteger, readValue, readXml } from '../package/xml.js'
import { formatListNumber } from './list-number.js'
import { toSuperscript } from './shift-text.js'

type Kind = 'footnote' | 'endnote'

/** How notes are numbered (ECMA-376 part 1, 17.11). */
type Numbering = { system?: string; start?: number; restartsInSection?: boolean }
type Numberings = { readonly [K in Kind]: Numbering }

/** Numbers footnotes and endnotes in the order of their references, as superscripts. */
export type NoteMarks = {
  /** The mark of a reference in the text. */
  refer(kind: Kind, id: string): string
  /** The mark before the note. */
  find(kind: Kind, id: string): string
  /** The next reference is in another section. */
  endSection(): void
}

/** `sections` are the numberings of the sections of the document. */
export function createNoteMarks(sections: readonly Numberings[]): NoteMarks {
  const marks = { footnote: new Map<string, string>(), endnote: new Map<string, string>() }
  const last: { [K in Kind]: number | undefined } = { footnote: undefined, endnote: undefined }
  let section = 0
  const find = (kind: Kind, id: string): string => marks[kind].get(id) ?? ''
  return {
    find,
    refer(kind, id) {
      if (marks[kind].has(id)) return find(kind, id)
      const { system, start = 1 } = sections[section]?.[kind] ?? {}
      const number = (last[kind] ?? start - 1) + 1
      last[kind] = number
      const usual = kind === 'footnote' ? 'decimal' : 'lowerRoman'
      marks[kind].set(id, toSuperscript(formatListNumber(number, system ?? usual)))
      return find(kind, id)
    },
    endSection() {
      section += 1
      for (const kind of ['footnote', 'endnote'] as const)
        if (sections[section]?.[kind].restartsInSection === true) last[kind] = undefined
    },
  }
}

/** The numberings of the sections of a document. Its settings apply to all of them. */
export function readNoteNumbers(
  file: OfficeFile,
  settings: string | undefined,
): readonly Numberings[] {
  const common = settings === undefined ? undefined : readNumberings(file, settings, 'settings')[0]
  return readNumberings(file, file.main, 'document').map(({ footnote, endnote }) => ({
    footnote: { ...common?.footnote, ...footnote },
    endnote: { ...common?.endnote, ...endnote },
  }))
}

/** Settings are read like a section, and so is what no section of a document ends. */
function readNumberings(file: OfficeFile, path: string, label: string): readonly Numberings[] {
  const found: Numberings[] = []
  let current: Numberings = { footnote: {}, endnote: {} }
  let numbering: Numbering | undefined
  let earlier = 0
  readXml(file.archive, path, label, file.limits, {
    open(name, attributes) {
      const value = readValue(attributes)
      if (name === 'sectPrChange') earlier += 1
      if (earlier > 0) return
      if (name === 'footnotePr') numbering = current.footnote
      else if (name === 'endnotePr') numbering = current.endnote
      else if (numbering === undefined || value === undefined) return
      else if (name === 'numFmt') numbering.system = value
      else if (name === 'numStart') numbering.start = readInteger(value, 1)
      else if (name === 'numRestart') numbering.restartsInSection = value === 'eachSect'
    },
    close(name) {
      if (name === 'sectPrChange') earlier -= 1
      else if (name === 'footnotePr' || name === 'endnotePr') numbering = undefined
      else if (earlier === 0 && name === 'sectPr') {
        found.push(current)
        current = { footnote: {}, endnote: {} }
      }
    },
  })
  return [...found, current]
}
