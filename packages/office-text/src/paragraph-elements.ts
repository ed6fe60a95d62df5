import { readInteger, readValue } from './values.js'
import { doing, type FlowState, newParagraph, type Opener, type Openers } from './flow-state.js'
import { createSlideLists } from './slide-lists.js'

/** Paragraphs with their properties, and tables. */
export function createParagraphElements(state: FlowState): Openers {
  const { writer, fields, options } = state
  const slideLists = createSlideLists()
  let isCovered = false

  const label = (): string => {
    const { paragraph } = state
    if (paragraph.isEndDeleted) return ''
    const hasText = writer.paragraph().trim() !== ''
    if (hasText) {
      const number = slideLists.label(paragraph.slideLevel, paragraph.autoNumber)
      if (number !== '') return number
    }
    return options.labels?.(paragraph) ?? ''
  }
  const deleted: Opener = () => {
    if (state.properties === undefined) return 'skip'
    state.paragraph.isEndDeleted = true
    return undefined
  }

  return {
    p() {
      const outer = state.paragraph
      state.paragraph = newParagraph()
      writer.openParagraph()
      return () => {
        fields.endParagraph()
        writer.closeParagraph(label(), state.paragraph.isEndDeleted)
        state.paragraph = outer
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
    pStyle: doing((attributes) => (state.paragraph.style = readValue(attributes))),
    numId: doing((attributes) => (state.paragraph.instance = readValue(attributes))),
    ilvl: doing((attributes) => (state.paragraph.level = readInteger(readValue(attributes), 0))),
    buAutoNum: doing(({ type, startAt }) => {
      if (state.properties === 'paragraph')
        state.paragraph.autoNumber = { type: type ?? '', start: readInteger(startAt, 1) }
    }),
    del: deleted,
    moveFrom: deleted,
    txBody: doing(() => slideLists.restart()),
    tr() {
      writer.openRow()
      return () => writer.closeRow()
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
