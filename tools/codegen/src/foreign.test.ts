import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatDiagnostic, hasErrors } from './diagnostics.js'
import { generate } from './generate.js'
import { folder } from './target.js'

const require = createRequire(import.meta.url)
const examples = dirname(require.resolve('@readme/oas-examples/package.json'))

/**
 * Inside the package, so that the generated imports of zod and openapi-fetch resolve; ignored by
 * git.
 */
const work = fileURLToPath(new URL('../.tmp/foreign/', import.meta.url))

const compiler = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  noEmit: true,
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
}

async function documents(version: string): Promise<readonly string[]> {
  const names = await readdir(join(examples, version, 'json'))
  return names.filter((name) => name.endsWith('.json')).map((name) => `${version}/json/${name}`)
}

const every = [...(await documents('3.0')), ...(await documents('3.1'))]

describe('documents that are not ours', () => {
  beforeAll(async () => {
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true })
  })
  afterAll(async () => rm(work, { recursive: true, force: true }))

  it.each(every)('%s becomes types, zod and a client', async (path) => {
    const out = path.replace('/json/', '-').replace('.json', '')
    const result = await generate({ spec: path, cwd: examples, target: folder(join(work, out), 'farebox-codegen') })
    expect(result.diagnostics.filter((diagnostic) => hasErrors([diagnostic])).map(formatDiagnostic)).toEqual([])
    expect(result.status).toBe('written')
  })

  it('compile under the strictest switches', async () => {
    await writeFile(join(work, 'package.json'), '{ "type": "module" }')
    await writeFile(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions: compiler, include: ['**/*.ts'] }))
    const tsc = require.resolve('typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', work], { maxBuffer: 1e8 }).catch(
      (error: { readonly stdout: string }) => error,
    )
    expect(stdout.split('\n').slice(0, 20).join('\n')).toBe('')
  })
})
