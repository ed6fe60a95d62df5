import { formatListNumber } from './list-number.js'

type Kind = 'footnote' | 'endnote'

/** Numbers footnotes and endnotes in the order of their references, as superscripts. */
export type NoteMarks = {
  /** The mark of a reference in the text. */
  refer(kind: Kind, id: string): string
  /** The mark before the note. */
  find(kind: Kind, id: string): string
}

export function createNoteMarks(): NoteMarks {
  const numbers = { footnote: new Map<string, number>(), endnote: new Map<string, number>() }
  const find = (kind: Kind, id: string): string => {
    const number = numbers[kind].get(id)
    if (number === undefined) return ''
    return toSuperscript(formatListNumber(number, kind === 'footnote' ? 'decimal' : 'lowerRoman'))
  }
  return {
    find,
    refer(kind, id) {
      if (!numbers[kind].has(id)) numbers[kind].set(id, numbers[kind].size + 1)
      return find(kind, id)
    },
  }
}

const plain = '0123456789+-−=()nivxlc'
const raised = Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵛˣˡᶜ')

/** Digits, signs and Roman numbers as superscripts. Other characters stay. */
export function toSuperscript(text: string): string {
  return Array.from(text, (character) => raised[plain.indexOf(character)] ?? character).join('')
}
