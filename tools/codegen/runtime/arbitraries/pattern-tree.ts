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
export function patternTree(pattern: string): Tree {
  let at = 0
  let count = 0
  const takes = (text: string): boolean => {
    const found = pattern.startsWith(text, at)
    if (found) at += text.length
    return found
  }
  const take = (regExp: RegExp): readonly string[] | undefined => {
    regExp.lastIndex = at
    const match = regExp.exec(pattern)
    if (match !== null) at = regExp.lastIndex
    return match ?? undefined
  }
  const choice = (): Tree => {
    const options = [sequence()]
    while (takes('|')) options.push(sequence())
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { kind: 'either', options }
  }
  const sequence = (): Tree => {
    const parts: Tree[] = []
    while (at < pattern.length && !/[|)]/.test(pattern.charAt(at))) parts.push(quantified(atom()))
    return { kind: 'all', parts }
  }
  const quantified = (of: Tree): Tree => {
    const [sign, low, comma, high] = take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/uy) ?? []
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
  const closed = (): Tree => {
    const inner = choice()
    takes(')')
    return inner
  }
  const atom = (): Tree => {
    if (takes('^')) return { kind: 'edge', at: 'start' }
    if (takes('$')) return { kind: 'edge', at: 'end' }
    if (takes('(?=')) return { kind: 'ahead', of: closed() }
    if (takes('(?<=')) return { kind: 'behind', of: closed() }
    if (takes('(?!') || takes('(?<!')) {
      closed()
      return { kind: 'edge' }
    }
    if (take(/\(\?[a-z-]*:/uy) !== undefined) return closed()
    const [group, name] = take(/\((?:\?<([^>]+)>)?/uy) ?? []
    if (group !== undefined) {
      const index = String(++count)
      return {
        kind: 'group',
        of: closed(),
        names: name === undefined ? [index] : [index, name],
      }
    }
    if (take(/\\[bB]/uy) !== undefined) return { kind: 'edge' }
    const [same, number, label = number] = take(/\\(?:([1-9]\d*)|k<([^>]+)>)/uy) ?? []
    if (same !== undefined && label !== undefined) return { kind: 'same', name: label }
    const [source = ''] = take(one) ?? []
    if (source === '') throw new SyntaxError('This pattern cannot be read.')
    return { kind: 'set', source }
  }
  const tree = choice()
  if (at < pattern.length) throw new SyntaxError('This pattern cannot be read.')
  return tree
}

/** A class, an escape, or any other character. */
const one =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])|[^]/uy
