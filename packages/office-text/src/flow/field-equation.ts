import { group } from './math.js'

/** Equations within one another. More are an attack. */
const maxDepth = 20

/**
 * The equation of an EQ field (ECMA-376 part 1, 17.16.5.16) on one line, as `math.ts` writes those
 * of Office: `\f(1;2)` is `1/2`, and `\s\up(2)` is `^2`. Characters of an overstrike that stand above
 * the others are a phonetic guide and left out.
 */
export function writeFieldEquation(code: string): string {
  let at = 0
  return read(0).join(', ').replaceAll(/\s+/g, ' ').trim()

  /** The arguments up to the bracket that closes them, or the end. */
  function read(depth: number): readonly string[] {
    const list = ['']
    const add = (text: string) => list.push((list.pop() ?? '') + text)
    while (at < code.length) {
      const character = code[at] ?? ''
      at += 1
      if (character === '\\') add(readSwitch(depth))
      else if (depth > 0 && character === ')') break
      else if (depth > 0 && (character === ',' || character === ';')) list.push('')
      else if (character === '(' && depth < maxDepth) add(`(${read(depth + 1).join(',')})`)
      else add(character)
    }
    return list
  }

  /** What follows a backslash: an escaped character, the format of the field, or an element. */
  function readSwitch(depth: number): string {
    if (take(/\*\s*(?:"[^"]*"|\S+)\s*/y) !== '') return ''
    const name = take(/[a-z]+/iy).toLowerCase()
    if (name === '') {
      at += 1
      return code[at - 1] ?? ''
    }
    const start = at
    const options = take(/(?:[^(),;\\]|\\[^]){0,100}/y)
    if (code[at] !== '(' || depth >= maxDepth) {
      at = start
      return ''
    }
    at += 1
    return write(
      name,
      options.toLowerCase(),
      read(depth + 1).map((each) => each.trim()),
    )
  }

  function take(pattern: RegExp): string {
    pattern.lastIndex = at
    const match = pattern.exec(code)?.[0] ?? ''
    at += match.length
    return match
  }
}

function write(name: string, options: string, list: readonly string[]): string {
  const [first = '', second = '', third = ''] = list
  switch (name) {
    case 'f':
      return `${group(first)}/${group(second)}`
    case 'r':
      return list.length > 1 ? `${first}√${group(second)}` : `√${group(first)}`
    case 's':
      return `${options.includes('do') ? '_' : '^'}${group(first)}`
    case 'o':
      return list.some((each) => !each.startsWith('^'))
        ? list.filter((each) => !each.startsWith('^')).join('')
        : list.join('')
    case 'i': {
      const sign = options.includes('su') ? '∑' : options.includes('pr') ? '∏' : '∫'
      return `${sign}_${group(first)}^${group(second)} ${third}`
    }
    case 'b': {
      const own = /\\bc\s*\\(.)/.exec(options)?.[1]
      const left = /\\lc\s*\\(.)/.exec(options)?.[1] ?? own
      const right = /\\rc\s*\\(.)/.exec(options)?.[1] ?? (own && (pairs.get(own) ?? own))
      const none = left === undefined && right === undefined
      return `${none ? '(' : (left ?? '')}${first}${none ? ')' : (right ?? '')}`
    }
    case 'a':
      return list.join(' ')
    default:
      return list.join(',')
  }
}

const pairs: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
])
