import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../root.js'
import { groups } from './groups.js'

const testFiles = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n')

it('every filter of a group finds a test file: vitest says nothing of one that finds none beside others', () => {
  const filters = groups.flatMap(({ commands }) =>
    commands(0).flatMap(({ command, folder }) =>
      folder === undefined
        ? []
        : command
            .slice(command.indexOf('--reporter=default') + 1)
            .map((filter) => ({ folder, filter })),
    ),
  )
  expect(filters.length).toBeGreaterThan(20)
  expect(
    filters.filter(
      ({ folder, filter }) =>
        !testFiles.some(
          (file) => file.startsWith(`${folder}/`) && file.slice(folder.length + 1).includes(filter),
        ),
    ),
  ).toEqual([])
})
