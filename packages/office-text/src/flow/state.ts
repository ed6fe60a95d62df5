import type { ListItem, ListLabels, Styles } from './docx-styles.js'
import type { NoteMarks } from './note-marks.js'
import type { OfficeFile } from '../package/office-file.js'
import { isOn, readInteger } from '../package/xml.js'
import { writeFieldEquation } from './field-equation.js'
import type { MathWriter } from './math.js'
import { mapSymbol, type RunText } from './run-text.js'
import type { FlowWriter } from './writer.js'

type Attributes = Readonly<Record<string, string>>

/**
 * Called when an element opens. May return a function for its end, or `skip` to ignore the element
 * and its content.
 */
export type Opener = (attributes: Attributes) => 'skip' | (() => void) | undefined
export type Openers = Readonly<Record<string, Opener>>

export type FlowOptions = {
  readonly styles?: Styles
  readonly labels?: ListLabels
  readonly marks?: NoteMarks
  /** The number of a slide. Without it, slide numbers are left out. */
  readonly slideNumber?: number
  /** Leaves out shapes that stand for content of a slide, as masters and layouts have. */
  readonly withoutPlaceholders?: boolean
  /** Further elements, and what they do. */
  readonly openers?: (writer: FlowWriter) => Openers
  /** Called with the attributes of the outermost element. */
  readonly onRoot?: (attributes: Attributes) => void
}

/** The properties of a paragraph. */
type Paragraph = { -readonly [K in keyof ListItem]: ListItem[K] } & {
  /** The next paragraph goes on with it, since its end is deleted or it is an initial letter. */
  isContinued: boolean
  /** The section of the document ends with the paragraph. */
  isSectionEnd: boolean
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
  properties: 'paragraph' | 'run' | 'row' | undefined
  inText: boolean
  inCode: boolean
  math: MathWriter | undefined
  /** Within a paragraph of equations. */
  isFirstEquation: boolean | undefined
}

export function createParagraph(): Paragraph {
  return {
    style: undefined,
    instance: undefined,
    level: undefined,
    isContinued: false,
    isSectionEnd: false,
    slideLevel: 0,
    autoNumber: undefined,
  }
}

/** An opener that does one thing. */
export function createOpener(work: (attributes: Attributes) => void): Opener {
  return (attributes) => {
    work(attributes)
    return undefined
  }
}

type Field = {
  /** The code of the field goes before its result. */
  isCode: boolean
  code: string
  /** What a form field shows. */
  form: { checked?: boolean; entries: string[]; choice?: number } | undefined
  hasResult: boolean
}

/** The fields of WordprocessingML that are open (ECMA-376 part 1, 17.16). */
type Fields = ReturnType<typeof createFields>

export function createFields() {
  const open: Field[] = []
  return {
    /** Text in the code of a field is not shown. */
    hidesText: (): boolean => open.some((field) => field.isCode),
    noteText(): void {
      for (const field of open) if (!field.isCode) field.hasResult = true
    },
    addCode(text: string): void {
      const field = open.findLast(({ isCode }) => isCode)
      if (field !== undefined && field.code.length < 10_000) field.code += text
    },
    /** `fldChar`. Gives the text of a field that ends without a result. */
    mark(type: string | undefined): string {
      if (type === 'begin') open.push({ isCode: true, code: '', form: undefined, hasResult: false })
      const field = open.at(-1)
      if (type === 'separate' && field !== undefined) field.isCode = false
      if (type !== 'end' || field === undefined) return ''
      open.pop()
      return field.hasResult ? '' : writeFieldText(field)
    },
    /** An element of `ffData`, the properties of a form field. */
    form(name: string, value: string | undefined): void {
      const field = open.at(-1)
      if (field === undefined) return
      const form = (field.form ??= { entries: [] })
      if (name === 'checkBox') form.checked = false
      else if (name === 'default' && form.checked !== undefined) form.checked = isOn(value)
      else if (name === 'checked') form.checked = isOn(value)
      else if (name === 'listEntry') form.entries.push(value ?? '')
      else if (name === 'result') form.choice = readInteger(value, 0)
    },
    /** A field code without a result ends with its paragraph and hides nothing in the next one. */
    endParagraph(): void {
      for (const field of open) field.isCode = false
    },
  }
}

function writeFieldText({ form, code }: Field): string {
  if (form?.checked !== undefined) return form.checked ? '☒' : '☐'
  if (form !== undefined && form.entries.length > 0) return form.entries[form.choice ?? 0] ?? ''
  const button = /^\s*(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.*)$/is.exec(code)
  if (button) return (button[1] ?? '').trim()
  const equation = /^\s*EQ\s+(.*)$/is.exec(code)
  if (equation) return writeFieldEquation(equation[1] ?? '')
  const symbol = /^\s*SYMBOL\s+(0x[0-9a-f]+|\d+)\b(.*)$/is.exec(code)
  if (symbol) {
    const font = /\\f\s+"?([^"\\]+)/i.exec(symbol[2] ?? '')?.[1]?.trim() ?? ''
    const number = Number(symbol[1])
    return mapSymbol(font, number) ?? (number < 0xf000 ? String.fromCharCode(number) : '')
  }
  return ''
}
