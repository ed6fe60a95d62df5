import type { Budget } from './limits.js'

/** Text that was kept aside: whole lines, and what belongs into the paragraph around it. */
export type Captured = { readonly lines: readonly string[]; readonly inline: string }

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
    isInParagraph: () => paragraphs.length > 0,
    /** What the paragraph has so far. */
    paragraph: () => paragraphs.at(-1) ?? '',
    addLines(lines: readonly string[]): void {
      for (const text of lines) line(text)
    },
    openParagraph(): void {
      paragraphs.push(carried)
      carried = ''
    },
    closeParagraph(label: string, isEndDeleted: boolean): void {
      const text = paragraphs.pop() ?? ''
      const whole = label === '' ? text : `${label} ${text}`.trimEnd()
      characters.spend(label.length)
      if (isEndDeleted) carried = whole
      else line(whole)
    },
    openRow: (): void => void rows.push([]),
    closeRow(): void {
      const cells = rows.pop() ?? []
      if (cells.some((cell) => cell !== '')) line(cells.join('\t'))
    },
    openCell: (): void => void blocks.push([]),
    closeCell(isCovered: boolean): void {
      flush()
      const cell = joinLines(blocks.pop() ?? [])
      rows.at(-1)?.push(isCovered ? '' : cell)
    },
    /** Keeps what follows aside, up to `endCapture`. */
    beginCapture(): void {
      blocks.push([])
      paragraphs.push('')
    },
    endCapture: (): Captured => ({ inline: paragraphs.pop() ?? '', lines: blocks.pop() ?? [] }),
    emit({ lines, inline }: Captured): void {
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
