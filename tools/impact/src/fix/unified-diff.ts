import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A file before and after its edits, by a path with slashes that does not leave its folder. */
export type Rewritten = { readonly path: string; readonly before: string; readonly after: string }

/** The changes of files as `git apply` reads them. Empty without changes. */
export async function unifiedDiff(files: readonly Rewritten[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-impact-'))
  try {
    for (const { path, before, after } of files)
      for (const [side, text] of [
        ['a', before],
        ['b', after],
      ] as const) {
        await mkdir(dirname(join(folder, side, path)), { recursive: true })
        await writeFile(join(folder, side, path), text)
      }
    return files.length === 0 ? '' : await compare(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Git ends with 1 if the folders differ. No settings of the user change the format. */
function compare(folder: string): Promise<string> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' }
  const args = [
    '-c',
    'core.quotePath=false',
    'diff',
    '--no-index',
    '--no-prefix',
    '--abbrev=7',
    'a',
    'b',
  ]
  return new Promise((resolve, reject) => {
    execFile('git', args, { cwd: folder, env, maxBuffer: 256 * 1024 * 1024 }, (error, stdout) => {
      if (error === null || error.code === 1) resolve(stdout)
      else reject(error)
    })
  })
}
