import { readValue, readXml } from '../package/xml.js'
import {
  createFields,
  type FlowOptions,
  type FlowState,
  newParagraph,
  type Openers,
} from './state.js'
import { createFlowWriter } from './writer.js'
import { createObjectElements, createParagraphElements, createRunElements } from './elements.js'
import type { OfficeFile } from '../package/office-file.js'
import { createRunText } from './run-text.js'

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
    paragraph: newParagraph(),
    properties: undefined,
    inText: false,
    inCode: false,
    math: undefined,
  }
  const openers: Openers = Object.assign(
    Object.create(null) as Openers,
    createParagraphElements(state),
    createRunElements(state),
    createObjectElements(state),
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
        writer.add(state.math.result())
        state.math = undefined
      } else if (state.math === undefined) closer?.()
      else state.math.close(name)
    },
    text(text) {
      if (skipped > 0) return
      if (state.math !== undefined) state.math.text(text)
      else if (state.inCode) state.fields.addCode(text)
      else if (state.inText && !state.fields.hidesText()) {
        state.fields.noteText()
        state.run.add(text)
      }
    },
  })
  return writer.lines()
}

/** What a reader does not see: earlier properties, deleted text, phonetic guides, tab stops. */
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
