/** A member or element met in JSON text: its segment, its depth counted from 1, and where its key (or its value, in a list) begins. */
export type Visit = (segment: string, depth: number, offset: number, twice: boolean) => void

type Frame = { readonly keys: Set<string> | undefined; index: number }

/**
 * Walks text that `JSON.parse` has accepted and names each member with its offset, without building anything. `JSON.parse` keeps
 * neither positions nor the fact that a key stood twice. Not recursive: depth costs no stack.
 */
export function scanJson(text: string, visit: Visit): void {
  const stack: Frame[] = []
  let wantsKey = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    const frame = stack.at(-1)
    switch (character) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
      case 0x3a: // :
        continue
      case 0x2c: // ,
        if (frame !== undefined) {
          frame.index++
          wantsKey = frame.keys !== undefined
        }
        continue
      case 0x7d: // }
      case 0x5d: // ]
        stack.pop()
        wantsKey = false
        continue
      default:
    }
    if (frame !== undefined && frame.keys === undefined) visit(String(frame.index), stack.length, at, false)
    if (character === 0x22) {
      const end = endOfString(text, at)
      if (wantsKey && frame?.keys !== undefined) {
        const key = keyOf(text.slice(at, end + 1))
        visit(key, stack.length, at, frame.keys.has(key))
        frame.keys.add(key)
        wantsKey = false
      }
      at = end
    } else if (character === 0x7b) {
      stack.push({ keys: new Set(), index: 0 })
      wantsKey = true
    } else if (character === 0x5b) {
      stack.push({ keys: undefined, index: 0 })
      wantsKey = false
    } else {
      while (at + 1 < text.length && !/[\s,\]}]/.test(text.charAt(at + 1))) at++
    }
  }
}

/** Where the value of a pointer's segments stands: the offset of the deepest of them that exists. */
export function offsetIn(text: string, segments: readonly string[]): number {
  let matched = 0
  let offset = 0
  scanJson(text, (segment, depth, at) => {
    if (depth === matched + 1 && segments[matched] === segment) {
      matched = depth
      offset = at
    } else if (depth <= matched) {
      matched = Number.POSITIVE_INFINITY
    }
  })
  return offset
}

function endOfString(text: string, start: number): number {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (end !== -1 && escaped(text, end))
  return end === -1 ? text.length : end
}

function escaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1
}

function keyOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}
