/** Writes a line to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
