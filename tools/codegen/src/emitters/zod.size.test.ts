import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { deepTest } from '../../../internal/testing/src/rounds.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withSchemas } from '../../test/documents.js'
import { generate } from '../pipeline/generate.js'
import type { Json } from '../ir/schema.js'
import { folder } from '../pipeline/target.js'
import { compile } from '../try-documents/compile.js'
import { types } from './types.js'
import { zodFlavours, zodWith, type ZodFlavour } from './zod.js'

/** Inside the package, so that the generated imports of zod resolve; ignored by git. */
const work = fileURLToPath(new URL('../../.tmp/size/', import.meta.url))

const text = { type: 'string' }
const uri = { type: 'string', format: 'uri' }
const createRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const formats =
  'date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 uuid uri uri-reference iri iri-reference uri-template json-pointer ' +
  'relative-json-pointer regex byte'

/**
 * A string; six fields; twenty-two: strings, numbers, URIs, times and flags, some of them optional or
 * null, and a reference.
 */
const names = {
  Plain: text,
  Small: {
    type: 'object',
    required: ['key', 'name', 'node_id'],
    properties: {
      key: text,
      name: text,
      url: { type: ['string', 'null'], format: 'uri' },
      spdx_id: text,
      node_id: text,
      html_url: uri,
    },
  },
  Medium: {
    type: 'object',
    required: ['id', 'title', 'state', 'author', 'url', 'created_at'],
    properties: {
      id: { type: 'integer', format: 'int64' },
      title: text,
      body: { type: ['string', 'null'] },
      state: { ...text, enum: ['open', 'closed', 'merged'] },
      author: createRef('Small'),
      assignee: { anyOf: [createRef('Small'), { type: 'null' }] },
      ...Object.fromEntries(
        ['url', 'html_url', 'comments_url', 'events_url', 'diff_url'].map((name) => [name, uri]),
      ),
      ...Object.fromEntries(
        ['comments', 'additions', 'deletions', 'commits'].map((name) => [
          name,
          { type: 'integer' },
        ]),
      ),
      ...Object.fromEntries(
        ['locked', 'draft', 'mergeable', 'rebaseable'].map((name) => [name, { type: 'boolean' }]),
      ),
      ...Object.fromEntries(
        ['created_at', 'updated_at', 'closed_at'].map((name) => [
          name,
          { ...text, format: 'date-time' },
        ]),
      ),
    },
  },
}

/**
 * A schema for everything that the output has code for, so that whatever a bundler cannot drop
 * shows.
 */
const unwanted = {
  ...Object.fromEntries(
    formats.split(' ').map((format, index) => [`Format${index}`, { ...text, format }]),
  ),
  Int32: { type: 'integer', format: 'int32' },
  Number: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9, multipleOf: 0.5 },
  Pattern: { ...text, pattern: '^a' },
  Bytes: { ...text, format: 'binary' },
  Constant: { const: { a: [1] } },
  Mixed: { enum: ['a', 1, null] },
  Unique: { type: 'array', uniqueItems: true, contains: text, maxContains: 2 },
  Tuple: { type: 'array', prefixItems: [text], items: false, unevaluatedItems: false },
  Map: { type: 'object', additionalProperties: text },
  Closed: {
    type: 'object',
    properties: { a: text },
    additionalProperties: false,
    minProperties: 1,
  },
  Patterned: {
    type: 'object',
    patternProperties: { '^a': text },
    propertyNames: { maxLength: 3 },
    dependentRequired: { a: ['b'] },
  },
  Tree: { type: 'object', properties: { children: { type: 'array', items: createRef('Tree') } } },
  One: {
    oneOf: [
      { type: 'number', minimum: 1 },
      { type: 'number', maximum: 2 },
    ],
  },
  Tagged: {
    oneOf: ['a', 'b'].map((kind) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: kind } },
    })),
    discriminator: { propertyName: 'kind' },
  },
  All: {
    allOf: [createRef('Small'), { type: 'object', properties: { more: text } }],
    unevaluatedProperties: false,
  },
  Conditional: { if: text, then: { minLength: 2 }, else: { type: 'number' } },
  Not: { not: text },
}

const documents: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  alone: names,
  crowded: { ...unwanted, ...names },
}

/** A validator with all that it needs. */
async function bundle(
  name: string,
  document: string,
  flavour: ZodFlavour,
  minify: boolean,
): Promise<Uint8Array> {
  return (
    (await buildOutput(name, document, flavour, minify)).outputFiles[0]?.contents ??
    new Uint8Array()
  )
}

async function buildOutput(name: string, document: string, flavour: ZodFlavour, minify: boolean) {
  return build({
    stdin: {
      contents: `export { ${name} } from './zod/index.ts'`,
      resolveDir: join(work, `${document}-${flavour}`),
      loader: 'ts',
    },
    bundle: true,
    minify,
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
  })
}

/** The lines of a bundle; where two files give one name to two things, the bundler numbers them. */
async function listBundleLines(
  name: string,
  document: string,
  flavour: ZodFlavour,
): Promise<readonly string[]> {
  const text = Buffer.from(await bundle(name, document, flavour, false)).toString()
  return text
    .replaceAll(/\b([A-Za-z_$]+)\d+\b/g, '$1')
    .replaceAll(/\b(\w+): \1\b/g, '$1')
    .replaceAll(`${document}-${flavour}/`, '')
    .split('\n')
}

describe('one validator, imported from the index of the output', () => {
  beforeAll(async () => {
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true })
    await writeFile(join(work, 'package.json'), '{ "type": "module" }')
    for (const [name, schemas] of Object.entries(documents)) {
      await writeFile(join(work, `${name}.json`), JSON.stringify(withSchemas(schemas)))
      for (const flavour of zodFlavours) {
        const target = folder(`${name}-${flavour}`, 'farebox-codegen')
        const { status, diagnostics } = await generate({
          spec: `${name}.json`,
          cwd: work,
          target,
          emitters: [types, zodWith({ flavour })],
        })
        expect([status, diagnostics]).toEqual(['written', []])
      }
    }
  })
  afterAll(async () => rm(work, { recursive: true, force: true }))

  it.each(zodFlavours)('includes only the runtime code that it calls (%s)', async (flavour) => {
    const { metafile } = await buildOutput('Plain', 'alone', flavour, true)
    const kept = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
    const ours = kept.filter(
      ([path, { bytesInOutput }]) => !path.includes('node_modules') && bytesInOutput > 0,
    )
    // zod's words are zod's own, but for those of the core
    expect(ours.map(([path]) => path.replace(/^.*\//, ''))).toEqual([
      ...(flavour === 'core' ? ['zod.ts'] : []),
      'schemas.ts',
    ])
  })

  it.each(zodFlavours)('includes no other validator (%s)', async (flavour) => {
    for (const name of Object.keys(names)) {
      const alone = await listBundleLines(name, 'alone', flavour)
      expect(
        (await listBundleLines(name, 'crowded', flavour)).filter((line) => !alone.includes(line)),
      ).toEqual([])
    }
  })

  it.each<readonly [keyof typeof names, ZodFlavour, number]>([
    ['Small', 'full', 27],
    ['Medium', 'full', 28],
    ['Small', 'mini', 6],
    ['Medium', 'mini', 7],
    ['Small', 'core', 5],
    ['Medium', 'core', 6],
  ])('%s of the %s flavor stays within %i KB, compressed', async (name, flavour, budget) => {
    expect(
      gzipSync(await bundle(name, 'crowded', flavour, true), { level: 9 }).length,
    ).toBeLessThanOrEqual(budget * 1024)
  })

  deepTest('compiles under the strictest switches', async () => {
    const names = Object.keys(documents).flatMap((name) =>
      zodFlavours.map((flavour) => `${name}-${flavour}`),
    )
    expect([...(await compile(work, names, { lib: ['es2023', 'dom'], types: [] }))]).toEqual([])
  })
})
