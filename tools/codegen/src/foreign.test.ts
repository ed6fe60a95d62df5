import { mkdir, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deepTest, countRounds } from '../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatDiagnostic, hasErrors } from './diagnostics.js'
import { generate } from './pipeline/generate.js'
import { defaultOutputs } from './command/outputs.js'
import { folder } from './pipeline/target.js'
import { compile } from './try-documents/compile.js'

const require = createRequire(import.meta.url)
const examples = dirname(require.resolve('@readme/oas-examples/package.json'))

/**
 * Inside the package, so that the generated imports of zod and openapi-fetch resolve; ignored by
 * git.
 */
const work = fileURLToPath(new URL('../.tmp/foreign/', import.meta.url))

async function listDocuments(version: string): Promise<readonly string[]> {
  const names = await readdir(join(examples, version, 'json'))
  return names.filter((name) => name.endsWith('.json')).map((name) => `${version}/json/${name}`)
}

const every = [...(await listDocuments('3.0')), ...(await listDocuments('3.1'))]
const few = every.filter(
  (_, index) => index % Math.floor(every.length / countRounds(every.length)) === 0,
)

describe('third-party documents', () => {
  beforeAll(async () => {
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true })
  })
  afterAll(async () => rm(work, { recursive: true, force: true }))

  it.each(few)('%s becomes types, zod and a client', async (path) => {
    const out = path.replace('/json/', '-').replace('.json', '')
    const result = await generate({
      spec: path,
      cwd: examples,
      target: folder(join(work, out), 'farebox-codegen'),
      strict: true,
    })
    expect(
      result.diagnostics.filter((diagnostic) => hasErrors([diagnostic])).map(formatDiagnostic),
    ).toEqual([])
    expect(result.status).toBe('written')
  })

  it.each(few.map((path, index) => [path, index % 2] as const))(
    '%s becomes these outputs with other value types',
    async (path, odd) => {
      const out = `dated-${path.replace('/json/', '-').replace('.json', '')}`
      const result = await generate({
        spec: path,
        cwd: examples,
        target: folder(join(work, out), 'farebox-codegen'),
        emitters: defaultOutputs,
        ...(odd === 1
          ? ({ dates: 'temporal', int64: 'bigint' } as const)
          : ({ dates: 'date' } as const)),
      })
      expect(result.status).toBe('written')
    },
  )

  deepTest('compile under the strictest switches', async () => {
    expect([...(await compile(work, await readdir(work)))]).toEqual([])
  })
})
