import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { applyEdits, type Edit } from './edit.js'
import type { Rewritten } from './unified-diff.js'

/** The edited files before and after, with paths relative to a folder. Writes nothing. */
export function rewrite(edits: readonly Edit[], folder: string): readonly Rewritten[] {
  const files = [...new Set(edits.map(({ file }) => file))]
  return files.map((file) => {
    const before = readFileSync(file, 'utf8')
    // the compiler counts without the mark at the beginning
    const mark = before.startsWith('\uFEFF') ? '\uFEFF' : ''
    const own = edits.filter((edit) => edit.file === file)
    return {
      path: relative(folder, file).replaceAll('\\', '/'),
      before,
      after: mark + applyEdits(before.slice(mark.length), own),
    }
  })
}
