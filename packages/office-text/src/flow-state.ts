import type { ListItem, ListLabels } from './docx-lists.js'
import type { Styles } from './docx-styles.js'
import type { Fields } from './flow-fields.js'
import type { FlowWriter } from './flow-writer.js'
import type { MathWriter } from './math.js'
import type { NoteMarks } from './note-marks.js'
import type { OfficeFile } from './office-file.js'
import type { RunText } from './run-text.js'

export type Attributes = Readonly<Record<string, string>>

/**
 * What an element does when it opens. It may give what it does when it closes, or `skip` itself with
 * all that it holds.
 */
export type Opener = (attributes: Attributes) => 'skip' | (() => void) | undefined
export type Openers = Readonly<Record<string, Opener>>

export type FlowOptions = {
  readonly styles?: Styles
  readonly labels?: ListLabels
  readonly marks?: NoteMarks
  /** What a slide shows as its number. Without it the number is left out. */
  readonly slideNumber?: number
  /** Leaves out shapes that stand for content of a slide, as masters and layouts have. */
  readonly withoutPlaceholders?: boolean
  /** Told of the attributes of the outermost element. */
  readonly onRoot?: (attributes: Attributes) => void
}

/** What a paragraph states of itself. */
export type Paragraph = { -readonly [K in keyof ListItem]: ListItem[K] } & {
  /** The end is deleted: the text goes on in the next paragraph. */
  isEndDeleted: boolean
  slideLevel: number
  autoNumber: { readonly type: string; readonly start: number } | undefined
}

/** The reading of one part. */
export type FlowState = {
  readonly file: OfficeFile
  readonly path: string
  readonly options: FlowOptions
  readonly writer: FlowWriter
  readonly fields: Fields
  readonly run: RunText
  /** The namespaces that the part declares, by prefix. */
  readonly namespaces: Map<string, string>
  paragraph: Paragraph
  /** Within the properties of a paragraph or run, elements show nothing. */
  properties: 'paragraph' | 'run' | undefined
  inText: boolean
  inCode: boolean
  math: MathWriter | undefined
}

export function newParagraph(): Paragraph {
  return {
    style: undefined,
    instance: undefined,
    level: undefined,
    isEndDeleted: false,
    slideLevel: 0,
    autoNumber: undefined,
  }
}

/** An opener that does one thing. */
export function doing(work: (attributes: Attributes) => void): Opener {
  return (attributes) => {
    work(attributes)
    return undefined
  }
}
