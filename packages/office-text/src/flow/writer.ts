import type { Budget } from '../limits.js'

/** Captured text: whole lines, and text that belongs to the paragraph around it. */
type CapturedText = { readonly lines: readonly string[]; readonly inline: string }

/** The lines of a part under construction: paragraphs, and rows with their cells. */
export type FlowWriter = ReturnType<typeof createFlowWriter>

export function createFlowWriter(characters: Budget) {
  /** Where finished lines go: the part, the cell that is being read, or a capture. */
  const blocks: string[][] = [[]]
  const rows: string[][] = []
  const paragraphs: string[] = []
  /** The text of a paragraph whose end is deleted. It belongs to the next one. */
  let carried = ''

  const line = (text: string): void => {
    characters.spend(1)
    blocks.at(-1)?.push(text)
  }
  const flush = (): void => {
    if (carried !== '') line(carried)
    carried = ''
  }
  const add = (text: string): void => {
    if (text === '') return
    characters.spend(text.length)
    const last = paragraphs.pop()
    if (last === undefined) line(text)
    else paragraphs.push(last + text)
  }

  return {
    add,
    /** An equation that does not run into a number before it. */
    addEquation(text: string, isOnNewLine: boolean): void {
      const before = paragraphs.at(-1) ?? ''
      add(`${isOnNewLine ? '\n' : /\d$/.test(before) && /^\d/.test(text) ? ' ' : ''}${text}`)
    },
    isInParagraph: () => paragraphs.length > 0,
    /** The text of the paragraph so far. */
    paragraph: () => paragraphs.at(-1) ?? '',
    addLines(lines: readonly string[]): void {
      for (const text of lines) line(text)
    },
    openParagraph(): void {
      paragraphs.push(carried)
      carried = ''
    },
    closeParagraph(label: string, isContinued: boolean): void {
      const text = paragraphs.pop() ?? ''
      const whole = label === '' ? text : `${label} ${text}`.trimEnd()
      characters.spend(label.length)
      if (isContinued) carried = whole
      else line(whole)
    },
    openRow: (): void => void rows.push([]),
    closeRow(isDeleted: boolean): void {
      const cells = rows.pop() ?? []
      if (!isDeleted && cells.some((cell) => cell !== '')) line(cells.join('\t'))
    },
    openCell: (): void => void blocks.push([]),
    closeCell(isCovered: boolean): void {
      flush()
      const cell = joinLines(blocks.pop() ?? [])
      rows.at(-1)?.push(isCovered ? '' : cell)
    },
    /** Captures the text until `endCapture`. */
    beginCapture(): void {
      blocks.push([])
      paragraphs.push('')
    },
    endCapture: (): CapturedText => ({ inline: paragraphs.pop() ?? '', lines: blocks.pop() ?? [] }),
    emit({ lines, inline }: CapturedText): void {
      for (const text of lines) blocks.at(-1)?.push(text)
      const last = paragraphs.pop()
      if (last !== undefined) paragraphs.push(last + inline)
      else if (inline !== '') blocks.at(-1)?.push(inline)
    },
    lines(): readonly string[] {
      flush()
      return blocks[0] ?? []
    },
  }
}

/** The lines of a cell on one line. */
function joinLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join(' ')
}

type Alternate = { isChosen: boolean; spare: CapturedText | undefined }

/**
 * Chooses among alternate content (ECMA-376 part 3, 7.6): the first `Choice` whose namespaces are
 * understood, or else the `Fallback`. If that has no text, a `Choice` that is not understood is
 * better than nothing.
 */
export function createAlternates(writer: FlowWriter, namespaces: ReadonlyMap<string, string>) {
  const open: Alternate[] = []
  const isUnderstood = (prefix: string): boolean => {
    const uri = namespaces.get(prefix)
    return uri === undefined ? knownPrefixes.has(prefix) : knownNamespaces.test(uri)
  }

  return {
    open(): () => void {
      const alternate: Alternate = { isChosen: false, spare: undefined }
      open.push(alternate)
      return () => {
        open.pop()
        if (!alternate.isChosen && alternate.spare !== undefined) writer.emit(alternate.spare)
      }
    },
    choice(requires: string): 'skip' | (() => void) | undefined {
      const alternate = open.at(-1)
      if (alternate === undefined) return undefined
      if (alternate.isChosen) return 'skip'
      if (requires.split(/\s+/).filter(Boolean).every(isUnderstood)) {
        alternate.isChosen = true
        return undefined
      }
      writer.beginCapture()
      return () => {
        const captured = writer.endCapture()
        if (hasText(captured)) alternate.spare ??= captured
      }
    },
    fallback(): 'skip' | (() => void) | undefined {
      const alternate = open.at(-1)
      if (alternate === undefined) return undefined
      if (alternate.isChosen) return 'skip'
      writer.beginCapture()
      return () => {
        const captured = writer.endCapture()
        if (!hasText(captured)) return
        alternate.isChosen = true
        writer.emit(captured)
      }
    },
  }
}

/** Whether captured text has more than white space. */
export function hasText({ lines, inline }: CapturedText): boolean {
  return inline.trim() !== '' || lines.some((line) => line.trim() !== '')
}

/** Namespaces whose elements the readers know, or which add no text. */
const knownNamespaces =
  /wordprocessing(?:Shape|Group|Canvas|Drawing|ml\/main)$|wordml(?:\/symex)?$|(?:drawing|powerpoint)\/20\d\d\/main$|chartex$|\/chart$|:vml$|\/diagram$/

const knownPrefixes: ReadonlySet<string> = new Set(
  'wps wpg wpc wp14 w14 w15 w16se a14 p14 p15 c14 c15 cx cx1 cx2 cx4 dgm v'.split(' '),
)
