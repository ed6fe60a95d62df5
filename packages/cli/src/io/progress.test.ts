import { expect, it } from 'vitest'
import { createProgress } from './progress.js'

function lineOn(columns: number | undefined): string {
  let shown = ''
  const err = { isTTY: true, columns, write: (text: string) => (shown += text) }
  createProgress({ err: err as never, quiet: false }).report('receiving')
  return shown
}

it('shortens its line to the terminal, and to nothing that a terminal without a size says', () => {
  expect(lineOn(6)).toBe('\r\u001b[2Krecei')
  expect(lineOn(0)).toBe('\r\u001b[2Kreceiving')
  expect(lineOn(undefined)).toBe('\r\u001b[2Kreceiving')
})
