/** A regular expression of the u flag as far as it tells what texts match. */
export type Tree =
  /** One character of a class, an escape or itself, as the pattern writes it. */
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'all'; readonly parts: readonly Tree[] }
  | { readonly kind: 'either'; readonly options: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly of: Tree; readonly min: number; readonly max: number }
  | { readonly kind: 'group'; readonly of: Tree; readonly names: readonly string[] }
  | { readonly kind: 'same'; readonly name: string }
  /** What must follow here, or come before. */
  | { readonly kind: 'ahead' | 'behind'; readonly of: Tree }
  /** An assertion that no text is made for. */
  | { readonly kind: 'edge'; readonly at?: 'start' | 'end' }

/** Parses a pattern that is valid with the u flag. */
export function parsePattern(pattern: string): Tree {
  let at = 0
  let count = 0
  const takeString = (text: string): boolean => {
    const found = pattern.startsWith(text, at)
    if (found) at += text.length
    return found
  }
  const takeMatch = (regExp: RegExp): readonly string[] | undefined => {
    regExp.lastIndex = at
    const match = regExp.exec(pattern)
    if (match !== null) at = regExp.lastIndex
    return match ?? undefined
  }
  const parseChoice = (): Tree => {
    const options = [parseSequence()]
    while (takeString('|')) options.push(parseSequence())
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { kind: 'either', options }
  }
  const parseSequence = (): Tree => {
    const parts: Tree[] = []
    while (at < pattern.length && !/[|)]/.test(pattern.charAt(at)))
      parts.push(parseQuantified(parseAtom()))
    return { kind: 'all', parts }
  }
  const parseQuantified = (of: Tree): Tree => {
    const [sign, low, comma, high] = takeMatch(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/uy) ?? []
    if (sign === undefined) return of
    if (low === undefined)
      return {
        kind: 'repeat',
        of,
        min: sign.startsWith('+') ? 1 : 0,
        max: sign.startsWith('?') ? 1 : Infinity,
      }
    const max = comma === '' ? Number(low) : high === '' ? Infinity : Number(high)
    return { kind: 'repeat', of, min: Number(low), max }
  }
  const parseUntilClose = (): Tree => {
    const inner = parseChoice()
    takeString(')')
    return inner
  }
  const parseAtom = (): Tree => {
    if (takeString('^')) return { kind: 'edge', at: 'start' }
    if (takeString('$')) return { kind: 'edge', at: 'end' }
    if (takeString('(?=')) return { kind: 'ahead', of: parseUntilClose() }
    if (takeString('(?<=')) return { kind: 'behind', of: parseUntilClose() }
    if (takeString('(?!') || takeString('(?<!')) {
      parseUntilClose()
      return { kind: 'edge' }
    }
    if (takeMatch(/\(\?[a-z-]*:/uy) !== undefined) return parseUntilClose()
    const [group, name] = takeMatch(/\((?:\?<([^>]+)>)?/uy) ?? []
    if (group !== undefined) {
      const index = String(++count)
      return {
        kind: 'group',
        of: parseUntilClose(),
        names: name === undefined ? [index] : [index, name],
      }
    }
    if (takeMatch(/\\[bB]/uy) !== undefined) return { kind: 'edge' }
    const [same, number, label = number] = takeMatch(/\\(?:([1-9]\d*)|k<([^>]+)>)/uy) ?? []
    if (same !== undefined && label !== undefined) return { kind: 'same', name: label }
    const [source = ''] = takeMatch(one) ?? []
    if (source === '') throw new SyntaxError('This pattern cannot be read.')
    return { kind: 'set', source }
  }
  const tree = parseChoice()
  if (at < pattern.length) throw new SyntaxError('This pattern cannot be read.')
  return tree
}

/** A class, an escape, or any other character. */
const one =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])|[^]/uy
