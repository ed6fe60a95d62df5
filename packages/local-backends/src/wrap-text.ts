/** The lines of a text, ten at most. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Cn}]+/gu, ' ')
    .split(/\s+/)
    .flatMap((long) => splitWord(long, columns))) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  const all = [...lines, line]
  return all.length > 10 ? [...all.slice(0, 9), '…'] : all
}

function splitWord(word: string, length: number): string[] {
  const characters = Array.from(word)
  return Array.from({ length: Math.max(1, Math.ceil(characters.length / length)) }, (_, index) =>
    characters.slice(index * length, (index + 1) * length).join(''),
  )
}
