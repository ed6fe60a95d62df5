import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { installPeer, peerVersions, type PeerName } from '../peer-versions.js'
import { countVerdicts, judge, type Case } from './cases.js'

type IsValid = (value: unknown) => boolean
type Compile = (schema: unknown) => IsValid

/** Libraries that read JSON Schema themselves. `format` is an annotation, as the suite has it. */
const libraries: Readonly<Record<string, () => Promise<Compile>>> = {
  [formatTitle('ajv')]: async () => {
    const { Ajv2020 } = await load('ajv', 'dist/2020.js')
    const options = { strict: false, validateFormats: false, logger: false }
    // one for each schema, since they share names
    return (schema) => new Ajv2020(options).compile(schema) as IsValid
  },
  [formatTitle('typebox')]: async () => {
    const { Compile } = await load('typebox', 'build/schema/index.mjs')
    return (schema) => {
      const compiled = Compile(schema)
      return (value) => compiled.Check(value) as boolean
    }
  },
  [formatTitle('ata-validator')]: async () => {
    const { Validator } = await load('ata-validator', 'index.mjs')
    return (schema) => {
      const compiled = new Validator(schema, { assertFormat: false, useDefaults: false })
      return (value) => compiled.validate(value).valid as boolean
    }
  },
  [formatTitle('@exodus/schemasafe')]: async () => {
    const { validator } = await load('@exodus/schemasafe', 'src/index.js')
    const options = { mode: 'spec', isJSON: true, $schemaDefault }
    return (schema) => validator(schema, options) as IsValid
  },
  [formatTitle('@cfworker/json-schema')]: async () => {
    const { Validator } = await load('@cfworker/json-schema', 'dist/esm/index.js')
    return (schema) => {
      const compiled = new Validator(schema, '2020-12')
      return (value) => compiled.validate(value).valid as boolean
    }
  },
  'z.fromJSONSchema (zod)': async () => (schema) => {
    const compiled = z.fromJSONSchema(schema as never)
    return (value) => compiled.safeParse(value).success
  },
}

const $schemaDefault = 'https://json-schema.org/draft/2020-12/schema'

/** A row for each library with its verdicts on the schemas of a suite. */
export async function judgeLibraries(
  cases: readonly Case[],
): Promise<Readonly<Record<string, object>>> {
  const rows: Record<string, object> = {}
  for (const [name, install] of Object.entries(libraries)) {
    const compile = await install()
    rows[name] = countVerdicts(
      cases.flatMap(({ original, tests }) => {
        const isValid = tryCompile(compile, original)
        return tests.map((test) => judge(isValid, test).verdict)
      }),
    )
  }
  return rows
}

function tryCompile(compile: Compile, schema: unknown): IsValid | Error {
  try {
    return compile(schema)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function formatTitle(name: PeerName): string {
  return `${name} ${peerVersions[name]}`
}

// oxlint-disable-next-line no-explicit-any -- packages that the tree does not depend on have no types here
async function load(name: PeerName, file: string): Promise<any> {
  const module = await import(pathToFileURL(join(installPeer(name), file)).href)
  return module.default ?? module
}
