import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { cache } from './installed.mjs'

/**
 * @typedef {{ readonly name: string, readonly rule: string, readonly schema: unknown, readonly alone: boolean,
 *   readonly tests: readonly { readonly description: string, readonly data: unknown, readonly valid: boolean }[] }} Case
 *   One schema of the public suite as a component called `name`; `alone` where it says names of its own, which may not be said twice.
 */

/** The public suite without what no document could say alone and without what is optional: npm's, and the one that a variable points to. */
export async function suites() {
  const { checkoutSuite, exceptionTo, groupsIn, identified, npmSuite } = await suiteModule()
  const folders = [npmSuite, ...(checkoutSuite === undefined ? [] : [checkoutSuite])]
  return Promise.all(
    folders.map(async (/** @type {string} */ folder) => {
      const required = (await groupsIn(folder)).filter((/** @type {*} */ group) => !group.optional)
      const kept = required.filter((/** @type {*} */ group) => exceptionTo(group)?.foreign !== true)
      /** @type {readonly Case[]} */
      const cases = kept.map((/** @type {*} */ group, /** @type {number} */ index) => {
        const name = `Case${index}`
        const alone = /"(?:\$id|id|\$anchor|\$dynamicAnchor|\$dynamicRef)":/.test(JSON.stringify(group.schema))
        const tests = group.tests.filter((/** @type {*} */ test) => exceptionTo(group, test.description)?.foreign !== true)
        const schema = alone ? identified(group.schema, index) : anchored(group.schema, `#/components/schemas/${name}`)
        return { name, rule: `${group.file}: ${group.description}`, schema, alone, tests }
      })
      return { name: folder === npmSuite ? 'draft 4, as npm has it' : basename(folder), cases, left: required.length - kept.length }
    }),
  )
}

/**
 * A document with some cases as its components, each the body of an operation: some generators make nothing of a component alone.
 * @param {readonly Case[]} cases
 */
export function documentOf(cases) {
  const bodies = cases.map(({ name }) => {
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
    const put = { operationId: `put${name}`, requestBody: { required: true, content }, responses: { 204: { description: 'Done' } } }
    return [`/${name.toLowerCase()}`, { put }]
  })
  return {
    openapi: '3.1.0',
    info: { title: 'Cases', version: '1' },
    servers: [{ url: 'https://cases.example' }],
    paths: Object.fromEntries(bodies),
    components: { schemas: Object.fromEntries(cases.map(({ name, schema }) => [name, schema])) },
  }
}

/**
 * A schema whose pointers go on pointing into it where it is a part of a document.
 * @param {unknown} schema
 * @param {string} place
 * @returns {unknown}
 */
function anchored(schema, place) {
  if (Array.isArray(schema)) return schema.map((item) => anchored(item, place))
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === 'enum' || key === 'const' || key === 'default') return [key, value]
    return [key, key === '$ref' && typeof value === 'string' ? value.replace(/^#/, place) : anchored(value, place)]
  })
  return Object.fromEntries(entries)
}

/** The tests' own reading of the suite, so that both judge the same. */
async function suiteModule() {
  const outfile = join(cache, 'verdicts', 'public-suite.mjs')
  mkdirSync(join(cache, 'verdicts'), { recursive: true })
  const entry = fileURLToPath(new URL('../../codegen/test/public-suite.ts', import.meta.url))
  // What it finds through npm it finds from where it is.
  const define = { 'import.meta.url': JSON.stringify(pathToFileURL(entry).href) }
  await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', target: 'es2022', outfile, define, logLevel: 'error' })
  return import(pathToFileURL(outfile).href)
}
