import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cache } from '@farebox/testing/install-package'
import { build } from 'esbuild'
import { root } from '../measure.js'

export type Test = { readonly description: string; readonly data: unknown; readonly valid: boolean }

/**
 * One schema of the public suite as a component with this name. `alone`: it defines names that a
 * document may have only once.
 */
export type Case = {
  readonly name: string
  readonly rule: string
  readonly schema: unknown
  /** The schema as the suite has it. */
  readonly original: unknown
  readonly alone: boolean
  readonly tests: readonly Test[]
}

/** `left` counts the schemas that are left out because they need other documents. */
type Suite = {
  readonly name: string
  readonly cases: readonly Case[]
  readonly left: number
}

/** A group of the suite, as the generator's tests read it. */
type Group = {
  readonly file: string
  readonly description: string
  readonly optional: boolean
  readonly schema: unknown
  readonly tests: readonly Test[]
}

type SuiteModule = {
  readonly npmSuite: string
  readonly checkoutSuite: string | undefined
  readonly readGroups: (folder: string) => Promise<readonly Group[]>
  readonly findException: (group: Group, test?: string) => { readonly foreign?: true } | undefined
  readonly addId: (schema: unknown, name: number) => unknown
}

/**
 * The required cases of the public suite that need no other document: those of the npm package, and
 * those of the suite that an environment variable names.
 */
export async function readSuites(): Promise<readonly Suite[]> {
  const { checkoutSuite, findException, readGroups, addId, npmSuite } = await loadSuiteModule()
  const folders = [npmSuite, ...(checkoutSuite === undefined ? [] : [checkoutSuite])]
  return Promise.all(
    folders.map(async (folder): Promise<Suite> => {
      const required = (await readGroups(folder)).filter((group) => !group.optional)
      const kept = required.filter((group) => findException(group)?.foreign !== true)
      const cases = kept.map((group, index): Case => {
        const name = `Case${index}`
        const alone = /"(?:\$id|id|\$anchor|\$dynamicAnchor|\$dynamicRef)":/.test(
          JSON.stringify(group.schema),
        )
        const tests = group.tests.filter(
          (test) => findException(group, test.description)?.foreign !== true,
        )
        const schema = alone
          ? addId(group.schema, index)
          : anchorPointers(group.schema, `#/components/schemas/${name}`)
        const rule = `${group.file}: ${group.description}`
        return { name, rule, schema, original: group.schema, alone, tests }
      })
      return {
        name: folder === npmSuite ? 'draft 4, as npm has it' : basename(folder),
        cases,
        left: required.length - kept.length,
      }
    }),
  )
}

export type Judgement = {
  readonly verdict: 'right' | 'accepted' | 'rejected' | 'failed'
  readonly because?: string
}

/** The verdict of a validator on a value, or why there is no validator. */
export function judge(
  isValid: ((value: unknown) => boolean) | Error,
  { data, valid }: Test,
): Judgement {
  if (isValid instanceof Error) return { verdict: 'failed', because: isValid.message }
  try {
    const accepted = isValid(data)
    return { verdict: accepted === valid ? 'right' : accepted ? 'accepted' : 'rejected' }
  } catch (error) {
    return {
      verdict: 'failed',
      because: `it throws ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** The row of a table. */
export function countVerdicts(verdicts: readonly Judgement['verdict'][]): object {
  const count = (kind: Judgement['verdict']): number =>
    verdicts.filter((verdict) => verdict === kind).length
  const right = count('right')
  return {
    right,
    'wrongly accepted': count('accepted'),
    'wrongly rejected': count('rejected'),
    'no verdict': count('failed'),
    'right, %': Math.floor((right / verdicts.length) * 1000) / 10,
  }
}

/** A document with each case as a component and as a body, since unused ones are skipped. */
export function toDocument(cases: readonly Case[]): object {
  const bodies = cases.map(({ name }) => {
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
    const put = {
      operationId: `put${name}`,
      requestBody: { required: true, content },
      responses: { 204: { description: 'Done' } },
    }
    return [`/${name.toLowerCase()}`, { put }] as const
  })
  return {
    openapi: '3.1.0',
    info: { title: 'Cases', version: '1' },
    servers: [{ url: 'https://cases.example' }],
    paths: Object.fromEntries(bodies),
    components: { schemas: Object.fromEntries(cases.map(({ name, schema }) => [name, schema])) },
  }
}

/** A schema whose pointers still point into it where it is at `place` of a document. */
function anchorPointers(schema: unknown, place: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => anchorPointers(item, place))
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => {
    if (key === 'enum' || key === 'const' || key === 'default') return [key, value] as const
    return [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace(/^#/, place)
        : anchorPointers(value, place),
    ] as const
  })
  return Object.fromEntries(entries)
}

/** The reader of the suite that the generator's tests use, so that both apply the same tests. */
async function loadSuiteModule(): Promise<SuiteModule> {
  const outfile = join(cache, 'verdicts', 'public-suite.mjs')
  mkdirSync(join(cache, 'verdicts'), { recursive: true })
  const entry = join(root, 'tools/codegen/test/public-suite.ts')
  // it looks for the suite from its own place
  const define = { 'import.meta.url': JSON.stringify(pathToFileURL(entry).href) }
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    outfile,
    define,
    logLevel: 'error',
  })
  return (await import(pathToFileURL(outfile).href)) as SuiteModule
}
