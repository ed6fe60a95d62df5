import type { Captured, FlowWriter } from './flow-writer.js'

type Alternate = { isChosen: boolean; spare: Captured | undefined }

/**
 * Chooses among alternate content (ECMA-376 part 3, 7.6): the first `Choice` whose namespaces are
 * understood, or else the `Fallback`. Where that has no text, a `Choice` that is not understood is
 * better than nothing.
 */
export type Alternates = ReturnType<typeof createAlternates>

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

function hasText({ lines, inline }: Captured): boolean {
  return inline.trim() !== '' || lines.some((line) => line.trim() !== '')
}

/** Namespaces whose elements the readers know, or which add no text. */
const knownNamespaces =
  /wordprocessing(?:Shape|Group|Canvas|Drawing|ml\/main)$|wordml(?:\/symex)?$|(?:drawing|powerpoint)\/20\d\d\/main$|chartex$|\/chart$|:vml$|\/diagram$/

const knownPrefixes: ReadonlySet<string> = new Set(
  'wps wpg wpc wp14 w14 w15 w16se a14 p14 p15 c14 c15 cx cx1 cx2 cx4 dgm v'.split(' '),
)
