import { readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findWorkFolder } from '../../test/both-sides.js'
import { compile } from '../try-documents/compile.js'

const guide = new URL(
  '../../../../packages/docs/src/content/docs/guides/add-an-output.mdx',
  import.meta.url,
)

/** The files that the guide "Adding an output" shows. */
const shown = [...readFileSync(guide, 'utf8').matchAll(/^import \w+ from '(.*)\?raw'$/gm)].map(
  ([, path = '']) => fileURLToPath(new URL(path, guide)),
)

const work = findWorkFolder('add-an-output')

beforeAll(async () => void (await mkdir(work, { recursive: true })))
afterAll(async () => rm(work, { recursive: true, force: true }))

describe('the emitter of the guide', () => {
  const [path = ''] = shown.filter((file) => !file.endsWith('index.ts'))
  const text = readFileSync(path, 'utf8')

  it('compiles', async () => {
    expect([...(await compile(work, [path]))]).toEqual([])
  })

  it('reads only the model', () => {
    const imports = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName)
    expect(imports.filter((name) => !/^\.\.\/(?:emit|ir)\//.test(name))).toEqual([])
    expect(text).toMatch(/: Emitter = \{/)
  })

  it('covers every kind of schema, with a table or with a printer that has one', () => {
    expect(text).toMatch(/: Cases<|\btypeText\(/)
  })

  it('prints strings of the document through escaping functions', () => {
    const parts = [...text.matchAll(/\$\{([^}]*)/g)].map(([, part = '']) => part)
    const isSafe = (part: string) =>
      /^(?:literal|propertyKey|docComment|typeText)\(|^name$/.test(part)
    expect(parts.filter((part) => !isSafe(part))).toEqual([])
  })
})
