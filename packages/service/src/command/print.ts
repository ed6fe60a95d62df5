/** Writes a line to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Replaces control characters: what somebody wrote must not move the cursor or reorder a line. */
export function stripControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD')
}
