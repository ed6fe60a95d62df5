/**
 * A command of a shell in lines of a width, each but the last ending in a backslash, so that it
 * still runs when it is copied. Words and quoted texts stay whole, and may be wider.
 */
export function wrapCommand(command: string, width: number): string {
  if (command.length <= width) return command
  const words = command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length + 3 <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : `    ${word}`)
  }
  return lines.join(' \\\n')
}
