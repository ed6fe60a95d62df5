import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesInGit, root } from './tree.js'

const files = filesInGit('*.ts', '*.mjs', '*.astro').filter((file) => !file.includes('/generated/'))

it('no line of a comment is longer than 100 columns', () => {
  const long = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (/^\s*(?:\/\/|\/\*\*|\*(?:\s|\/|$))/.test(line) && line.length > 100 ? [`${file}:${index + 1}`] : [])),
  )
  expect(long).toEqual([])
})
