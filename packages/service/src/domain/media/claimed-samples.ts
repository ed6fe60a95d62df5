/** Reads the number of samples from the boxes of ISO/IEC 14496-12, after version and flags. */
const tables: Readonly<Record<string, (view: DataView) => number>> = {
  stts: runs,
  ctts: runs,
  stsz: (view) => view.getUint32(4),
  stz2: (view) => view.getUint32(4),
  trun: (view) => view.getUint32(0),
  saiz: (view) => view.getUint32(view.byteLength >= 13 ? 9 : 1),
}

const containers: ReadonlySet<string> = new Set(
  'moov trak mdia minf stbl moof traf mvex edts dinf mfra sinf schi wave udta'.split(' '),
)
const maxDepth = 16

/**
 * Whether the tables of an MP4 or MOV file claim more samples than the file has bytes. A table of a
 * kilobyte can claim four billion samples, and a reader makes an object of each.
 */
export function claimsTooMuch(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const claimed = new Map<string, number>()

  const isTooMuch = (start: number, end: number, depth: number): boolean => {
    for (const { name, from, to } of readBoxes(view, start, end)) {
      const count = Object.hasOwn(tables, name) && from + 4 <= to ? tables[name] : undefined
      if (count) {
        const sum =
          (claimed.get(name) ?? 0) +
          within(() =>
            count(new DataView(bytes.buffer, bytes.byteOffset + from + 4, to - from - 4)),
          )
        if (sum > bytes.length) return true
        claimed.set(name, sum)
      } else if (containers.has(name) && depth < maxDepth && isTooMuch(from, to, depth + 1))
        return true
    }
    return false
  }
  return isTooMuch(0, bytes.length, 0)
}

/** Entries of a number of samples and their common value. */
function runs(view: DataView): number {
  const entries = Math.min(view.getUint32(0), Math.floor((view.byteLength - 4) / 8))
  let sum = 0
  for (let index = 0; index < entries; index++) sum += view.getUint32(4 + 8 * index)
  return sum
}

/** 0 for a truncated table. */
function within(count: () => number): number {
  try {
    return count()
  } catch {
    return 0
  }
}

/** The boxes of a range, without those inside them. */
export function* readBoxes(view: DataView, start: number, end: number) {
  for (let at = start; at + 8 <= end;) {
    const short = view.getUint32(at)
    const wide = short === 1 && at + 16 <= end
    const size = wide ? Number(view.getBigUint64(at + 8)) : short === 0 ? end - at : short
    const from = at + (wide ? 16 : 8)
    if (size < from - at) return
    const name = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)))
    yield { name, from, to: Math.min(end, at + size) }
    at += size
  }
}
