/** Names that Windows reserves, whatever their extension. */
const reserved = [
  'aux',
  'con',
  'nul',
  'prn',
  ...Array.from('123456789', (digit) => [`com${digit}`, `lpt${digit}`]).flat(),
]

/** Whole characters. A file name also gets an extension, and file systems allow 255 bytes. */
const namePattern = /^.{0,60}/u

/**
 * A file name for each name, without characters that a file system or a URL treats specially. Names
 * that differ only in case get a number, because some file systems do not tell them apart.
 */
export function createFileNames(names: readonly string[]): ReadonlyMap<string, string> {
  const takenNames = new Set(['', ...reserved])
  const counts = new Map<string, number>()
  return new Map(
    names.map((name) => {
      const [plain = ''] = namePattern.exec(name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')) ?? []
      let file = plain
      let count = counts.get(plain) ?? 1
      while (takenNames.has(file.toLowerCase())) file = `${plain}-${++count}`
      counts.set(plain, count)
      takenNames.add(file.toLowerCase())
      return [name, file]
    }),
  )
}
