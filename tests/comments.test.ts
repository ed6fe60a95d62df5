import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.astro'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => !file.includes('/generated/'))

it('no line of a comment is longer than 100 columns', () => {
  const long = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (/^\s*(?:\/\/|\/\*\*|\*(?:\s|\/|$))/.test(line) && line.length > 100 ? [`${file}:${index + 1}`] : [])),
  )
  expect(long).toEqual([])
})
