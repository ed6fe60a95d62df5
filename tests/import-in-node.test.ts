import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPacked } from '@farebox/release/install-packed'
import { operations } from '@farebox/types/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'

/** The packages as they are published. */
const { folder, remove } = createTemporaryFolder('import-in-node')
beforeAll(async () => installPacked(folder))
afterAll(remove)

const entries = [
  '.',
  './operations',
  './operations/shared',
  './operations/with-forms',
  './operations/without-forms',
]

/** What V8 ran of the packages, and what the program printed. */
function run(program: string) {
  const coverage = mkdtempSync(join(folder, 'coverage-'))
  const options = ['--input-type=module', '-e', program]
  const printed = execFileSync(process.execPath, options, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_V8_COVERAGE: coverage },
  })
  const files = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      readonly result: readonly { readonly url: string }[]
    }
    return result.map(({ url }) => url).filter((url) => url.includes('/node_modules/'))
  })
  return { files, printed }
}

/** Each file that Node opens, compiles and links costs time, and their number is no chance. */
it.each(entries)('an import of %s of the client opens two files', (entry) => {
  const { files } = run(`await import(${JSON.stringify(entry.replace('.', '@farebox/client'))})`)
  expect(files.map((url) => url.replace(/.*\/node_modules\//, ''))).toEqual([
    expect.stringMatching(/^@farebox\/client\/dist\/packed\/node\//),
    '@farebox/client/dist/packed/node/all.js',
  ])
})

it('entries have the same names in Node as elsewhere, and there is one of each class', () => {
  const program = `
    const found = new Map()
    const elsewhere = (entry) => import.meta.resolve('@farebox/client').replace(/packed\\/.*/, '') + 'packed/' + (entry === '.' ? 'index' : entry.slice(2)) + '.js'
    for (const entry of ${JSON.stringify(entries)}) {
      const module = await import(entry.replace('.', '@farebox/client'))
      const other = await import(elsewhere(entry))
      if (String(Object.keys(module)) !== String(Object.keys(other))) throw new Error(entry)
      for (const [name, value] of Object.entries(module)) {
        if (found.has(name) && found.get(name) !== value) throw new Error(entry + ' has another ' + name)
        found.set(name, value)
      }
    }
    console.log([...found.keys()].join(' '))`
  expect(run(program).printed.split(/\s/)).toEqual(
    expect.arrayContaining(['createClient', ...Object.keys(operations)]),
  )
})
