import { isOn, readValue } from './values.js'
import { doing, type FlowState, type Opener, type Openers } from './flow-state.js'
import { createMathWriter } from './math.js'

/** Runs with their properties, fields, symbols and equations. */
export function createRunElements(state: FlowState): Openers {
  const { writer, fields, run } = state
  const mark = (text: string): Opener =>
    doing(() => {
      if (state.properties === undefined && writer.isInParagraph() && !fields.hidesText())
        writer.add(text)
    })
  const property = (read: (attributes: Readonly<Record<string, string>>) => void): Opener =>
    doing((attributes) => {
      if (state.properties === 'run') read(attributes)
    })

  let noteId = ''
  const openNote = doing((attributes) => (noteId = readValue(attributes, 'id') ?? ''))
  const reference = (kind: 'footnote' | 'endnote'): Opener =>
    doing((attributes) => {
      const follows = readValue(attributes, 'customMarkFollows')
      if (follows === undefined || !isOn(follows))
        writer.add(state.options.marks?.refer(kind, readValue(attributes, 'id') ?? '') ?? '')
    })
  const noteMark = (kind: 'footnote' | 'endnote'): Opener =>
    doing(() => writer.add(state.options.marks?.find(kind, noteId) ?? ''))

  return {
    footnote: openNote,
    endnote: openNote,
    footnoteReference: reference('footnote'),
    endnoteReference: reference('endnote'),
    footnoteRef: noteMark('footnote'),
    endnoteRef: noteMark('endnote'),
    t() {
      state.inText = true
      return () => {
        state.inText = false
      }
    },
    tab: mark('\t'),
    ptab: mark('\t'),
    br: mark('\n'),
    cr: mark('\n'),
    noBreakHyphen: mark('-'),
    r: () => run.open(),
    rPr(attributes) {
      // the properties of the run that ends a paragraph belong to its end
      if (state.properties !== undefined) return undefined
      state.properties = 'run'
      run.properties(attributes)
      return () => {
        state.properties = undefined
      }
    },
    rFonts: property((attributes) =>
      run.font(readValue(attributes, 'ascii') ?? readValue(attributes, 'hAnsi')),
    ),
    latin: property(({ typeface }) => run.font(typeface)),
    rStyle: property((attributes) => run.style(readValue(attributes))),
    vanish: property((attributes) => run.hide(isOn(readValue(attributes)))),
    vertAlign: property((attributes) => run.raise(readValue(attributes) === 'superscript')),
    sym: doing((attributes) => {
      const code = readValue(attributes, 'char')
      if (state.properties !== undefined) run.symbolFont(attributes['typeface'])
      else if (code !== undefined && !fields.hidesText()) {
        run.symbol(readValue(attributes, 'font') ?? '', parseInt(code, 16))
        fields.noteText()
      }
    }),
    symEx: doing((attributes) => {
      const code = parseInt(readValue(attributes, 'char') ?? '', 16)
      if (code > 0 && code <= 0x10ffff) writer.add(String.fromCodePoint(code))
    }),
    fld({ type }) {
      if (type !== 'slidenum') return run.open()
      writer.add(String(state.options.slideNumber ?? ''))
      return 'skip'
    },
    fldChar: doing((attributes) => writer.add(fields.mark(readValue(attributes, 'fldCharType')))),
    instrText() {
      state.inCode = true
      return () => {
        state.inCode = false
      }
    },
    oMath: doing(() => (state.math = createMathWriter())),
  }
}
