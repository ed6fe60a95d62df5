import { readValue, readXml, isOn, readInteger } from '../package/xml.js'
import {
  createFields,
  type FlowOptions,
  type FlowState,
  createParagraph,
  type Openers,
  createOpener,
  type Opener,
} from './state.js'
import { createFlowWriter, createAlternates, hasText } from './writer.js'
import { type OfficeFile, type Relationship, findRelationshipId } from '../package/office-file.js'
import { createRunText } from './run-text.js'
import { createSlideLists } from './list-number.js'
import { readShift } from './docx-styles.js'
import { readActiveX } from './form-control.js'
import { readChart, readDiagram, type ReadLines } from './graphics.js'
import { createMathWriter } from './math.js'

/**
 * The lines of a part in WordprocessingML or DrawingML, which share their element names. A
 * paragraph (`p`) is a line. A row of a table (`tr`) is one line with its cells (`tc`) separated by
 * tabs. Text that is deleted, moved away or hidden, field codes and phonetic guides are left out.
 */
export function readFlow(
  file: OfficeFile,
  path: string,
  label: string,
  options: FlowOptions = {},
): readonly string[] {
  const writer = createFlowWriter(file.characters)
  const state: FlowState = {
    file,
    path,
    options,
    writer,
    fields: createFields(),
    run: createRunText(writer, file.warnings, options.styles),
    namespaces: new Map(),
    paragraph: createParagraph(),
    properties: undefined,
    inText: false,
    inCode: false,
    math: undefined,
    isFirstEquation: undefined,
  }
  const openers: Openers = Object.assign(
    Object.create(null) as Openers,
    createParagraphElements(state),
    createRunElements(state),
    createObjectElements(state),
    options.openers?.(writer),
  )
  const closers: ((() => void) | undefined)[] = []
  let skipped = 0
  let isRoot = true

  readXml(file.archive, path, label, file.limits, {
    open(name, attributes) {
      if (isRoot) options.onRoot?.(attributes)
      isRoot = false
      if (skipped > 0 || unseen.has(name)) {
        skipped += 1
        return
      }
      for (const key in attributes)
        if (key.startsWith('xmlns:')) state.namespaces.set(key.slice(6), attributes[key] ?? '')
      state.math?.open(name, attributes)
      if (state.math === undefined && formElements.has(name))
        state.fields.form(name, readValue(attributes))
      const closer = state.math === undefined ? openers[name]?.(attributes) : undefined
      if (closer === 'skip') skipped += 1
      else closers.push(closer)
    },
    close(name) {
      if (skipped > 0) {
        skipped -= 1
        return
      }
      const closer = closers.pop()
      if (state.math !== undefined && name === 'oMath') {
        writer.addEquation(state.math.result(), state.isFirstEquation === false)
        if (state.isFirstEquation === true) state.isFirstEquation = false
        state.math = undefined
      } else if (state.math === undefined) closer?.()
      else state.math.close(name)
    },
    text(text) {
      if (skipped > 0) return
      if (state.math !== undefined) state.math.text(text)
      else if (state.inCode || (state.inText && state.fields.hidesText()))
        state.fields.addCode(text)
      else if (state.inText) {
        state.fields.noteText()
        // PowerPoint escapes the control characters of its line breaks, and Word has an element for
        // a break and shows a space for a line end
        state.run.add(
          options.styles === undefined
            ? text.replaceAll(/_x000[ABD]_/gi, '\n')
            : text.replaceAll('\n', ' '),
        )
      }
    },
  })
  return writer.lines()
}

/**
 * Elements that are not displayed: earlier properties, deleted text, phonetic guides, tab stops.
 */
const unseen: ReadonlySet<string> = new Set(
  'pPrChange rPrChange sectPrChange tblPrChange tblPrExChange trPrChange tcPrChange tblGridChange numberingChange delText delInstrText lstStyle rt rubyPr tabs tabLst sdtPr sdtEndPr'.split(
    ' ',
  ),
)

/** The properties of form fields, which no other element uses within a flow. */
const formElements: ReadonlySet<string> = new Set([
  'checkBox',
  'checked',
  'default',
  'listEntry',
  'result',
])

/** Paragraphs with their properties, and tables. */
function createParagraphElements(state: FlowState): Openers {
  const { writer, fields, options } = state
  const slideLists = createSlideLists()
  let isCovered = false
  let isRowDeleted = false

  const label = (): string => {
    const { paragraph } = state
    if (paragraph.isContinued) return ''
    const hasText = writer.paragraph().trim() !== ''
    if (hasText) {
      const number = slideLists.label(paragraph.slideLevel, paragraph.autoNumber)
      if (number !== '') return number
    }
    return options.labels?.(paragraph) ?? ''
  }
  const deleted: Opener = () => {
    if (state.properties === undefined) return 'skip'
    if (state.properties === 'row') isRowDeleted = true
    else state.paragraph.isContinued = true
    return undefined
  }

  return {
    p() {
      const outer = state.paragraph
      const closeLook = state.run.openParagraph()
      state.paragraph = createParagraph()
      writer.openParagraph()
      return () => {
        fields.endParagraph()
        writer.closeParagraph(label(), state.paragraph.isContinued)
        if (state.paragraph.isSectionEnd) options.marks?.endSection()
        state.paragraph = outer
        closeLook()
      }
    },
    pPr({ lvl }) {
      const outer = state.properties
      state.properties = 'paragraph'
      if (lvl !== undefined) state.paragraph.slideLevel = readInteger(lvl, 0)
      return () => {
        state.properties = outer
      }
    },
    pStyle: createOpener((attributes) => {
      state.paragraph.style = readValue(attributes)
      state.run.paragraphStyle(state.paragraph.style)
    }),
    numId: createOpener((attributes) => (state.paragraph.instance = readValue(attributes))),
    ilvl: createOpener(
      (attributes) => (state.paragraph.level = readInteger(readValue(attributes), 0)),
    ),
    buAutoNum: createOpener(({ type, startAt }) => {
      if (state.properties === 'paragraph')
        state.paragraph.autoNumber = { type: type ?? '', start: readInteger(startAt, 1) }
    }),
    framePr: createOpener((attributes) => {
      if (/drop|margin/.test(readValue(attributes, 'dropCap') ?? ''))
        state.paragraph.isContinued = true
    }),
    sectPr: createOpener(() => (state.paragraph.isSectionEnd = true)),
    del: deleted,
    moveFrom: deleted,
    txBody: createOpener(() => slideLists.restart()),
    tr() {
      const outer = isRowDeleted
      isRowDeleted = false
      writer.openRow()
      return () => {
        writer.closeRow(isRowDeleted)
        isRowDeleted = outer
      }
    },
    trPr() {
      const outer = state.properties
      state.properties = 'row'
      return () => {
        state.properties = outer
      }
    },
    tc({ hMerge, vMerge }) {
      const outer = isCovered
      isCovered = [hMerge, vMerge].some((merged) => merged === '1' || merged === 'true')
      writer.openCell()
      return () => {
        writer.closeCell(isCovered)
        isCovered = outer
      }
    },
  }
}

/** Runs with their properties, fields, symbols and equations. */
function createRunElements(state: FlowState): Openers {
  const { writer, fields, run } = state
  const mark = (text: string): Opener =>
    createOpener(() => {
      if (state.properties === undefined && writer.isInParagraph() && !fields.hidesText())
        writer.add(text)
    })
  const property = (read: (attributes: Readonly<Record<string, string>>) => void): Opener =>
    createOpener((attributes) => {
      if (state.properties === 'run') read(attributes)
    })

  let noteId = ''
  const openNote = createOpener((attributes) => (noteId = readValue(attributes, 'id') ?? ''))
  const reference = (kind: 'footnote' | 'endnote'): Opener =>
    createOpener((attributes) => {
      const follows = readValue(attributes, 'customMarkFollows')
      if (follows === undefined || !isOn(follows))
        writer.add(state.options.marks?.refer(kind, readValue(attributes, 'id') ?? '') ?? '')
    })
  const noteMark = (kind: 'footnote' | 'endnote'): Opener =>
    createOpener(() => writer.add(state.options.marks?.find(kind, noteId) ?? ''))

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
    vertAlign: property((attributes) => run.shift(readShift(readValue(attributes)))),
    position: property((attributes) => run.shift(Math.sign(readInteger(readValue(attributes), 0)))),
    sym: createOpener((attributes) => {
      const code = readValue(attributes, 'char')
      if (state.properties !== undefined) run.symbolFont(attributes['typeface'])
      else if (code !== undefined && !fields.hidesText()) {
        run.symbol(readValue(attributes, 'font') ?? '', parseInt(code, 16))
        fields.noteText()
      }
    }),
    symEx: createOpener((attributes) => {
      const code = parseInt(readValue(attributes, 'char') ?? '', 16)
      if (code > 0 && code <= 0x10ffff) writer.add(String.fromCodePoint(code))
    }),
    fld({ type }) {
      if (type !== 'slidenum') return run.open()
      writer.add(String(state.options.slideNumber ?? ''))
      return 'skip'
    },
    fldChar: createOpener((attributes) =>
      writer.add(fields.mark(readValue(attributes, 'fldCharType'))),
    ),
    instrText() {
      state.inCode = true
      return () => {
        state.inCode = false
      }
    },
    oMath: createOpener(() => (state.math = createMathWriter(state.file.warnings))),
    // each equation within it is on a line of its own
    oMathPara() {
      state.isFirstEquation = true
      return () => {
        state.isFirstEquation = undefined
      }
    },
  }
}

/** Shapes, pictures, and content in separate parts: charts, SmartArt, embedded files. */
function createObjectElements(state: FlowState): Openers {
  const { file, path, writer, options } = state
  const alternates = createAlternates(writer, state.namespaces)
  const images = new Set<string>()
  const shapes: { isPlaceholder: boolean; isHidden: boolean }[] = []
  let links: ReadonlyMap<string, Relationship> | undefined

  const readLines: ReadLines = (part, label, given) => readFlow(file, part, label, given)

  /** The lines of the part that an element refers to. */
  const openNested = (attribute: string, read: (part: string) => readonly string[]): Opener =>
    createOpener((attributes) => {
      const id = findRelationshipId(attributes, attribute)
      if (id === undefined) return
      links ??= new Map(file.links(path).map((link) => [link.id, link]))
      const found = links.get(id)
      if (found === undefined) file.warnings.add('missing_parts')
      else if (found.path === '') file.warnings.add('unread_parts')
      else writer.addLines(read(found.path))
    })
  const image = createOpener((attributes) => {
    const id =
      findRelationshipId(attributes, 'embed') ??
      findRelationshipId(attributes, 'link') ??
      findRelationshipId(attributes)
    if (id === undefined || images.has(id)) return
    images.add(id)
    file.warnings.add('images_without_text')
  })

  /** A shape of a slide, master or layout, which may be hidden or stand for content. */
  const shape: Opener = () => {
    if (options.slideNumber === undefined && options.withoutPlaceholders !== true) return undefined
    shapes.push({ isPlaceholder: false, isHidden: false })
    writer.beginCapture()
    return () => {
      const captured = writer.endCapture()
      const last = shapes.pop()
      if (last?.isHidden === true) {
        if (hasText(captured)) file.warnings.add('hidden_text')
      } else if (!(options.withoutPlaceholders === true && last?.isPlaceholder === true))
        writer.emit(captured)
    }
  }

  return {
    AlternateContent: () => alternates.open(),
    Choice: (attributes) => alternates.choice(attributes['Requires'] ?? ''),
    Fallback: () => alternates.fallback(),
    chart: openNested('id', (part) => readChart(file, part, readLines)),
    relIds: openNested('dm', (part) => readDiagram(part, readLines)),
    altChunk: openNested('id', file.readEmbedded),
    subDoc: openNested('id', file.readEmbedded),
    OLEObject: openNested('id', file.readEmbedded),
    oleObj: openNested('id', file.readEmbedded),
    control: openNested('id', (part) => readActiveX(file, part)),
    textpath: createOpener(({ string }) => {
      if (string === undefined) return
      file.characters.spend(string.length)
      writer.addLines([string])
    }),
    blip: image,
    // ink
    contentPart: image,
    imagedata: image,
    commentReference: createOpener(() => file.warnings.add('comments')),
    sp: shape,
    grpSp: shape,
    graphicFrame: shape,
    cxnSp: shape,
    pic: shape,
    cNvPr: createOpener(({ hidden }) => {
      const last = shapes.at(-1)
      if (last !== undefined && (hidden === '1' || hidden === 'true')) last.isHidden = true
    }),
    ph: createOpener(() => {
      const last = shapes.at(-1)
      if (last !== undefined) last.isPlaceholder = true
    }),
  }
}
