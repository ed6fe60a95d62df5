import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { accepts } from '../validate/accepts.js'
import { withSchemas } from '../../test/documents.js'
import { jsonSchema, jsonValue, sharedSchemas } from '../../test/schemas.js'
import type { Json, Schema } from './schema.js'
import { buildApi } from './build.js'
import type { Place } from '../diagnostics.js'
import type { Document } from '../document/load.js'
import type { JsonObject } from '../document/json.js'
import { countRounds } from '../../../internal/testing/src/rounds.js'

/** A document without a file: places are never asked for here. */
function createDocument(subject: Json): Document {
  const place = (pointer: string): Place => ({ file: 'test.json', line: 1, column: 1, pointer })
  return {
    root: withSchemas({ ...sharedSchemas, Subject: subject }) as JsonObject,
    version: '3.1',
    source: 'test.json',
    files: [],
    inputs: [],
    place,
    origin: place,
    broken: [],
    isWhole: false,
    locate: ({ pointer }) => place(pointer),
  }
}

const never: Schema = { kind: 'never', notes: { origin: { file: '', pointer: '' } } }

function createOwnValidator(subject: Json): (value: Json) => boolean {
  const { api, diagnostics } = buildApi(createDocument(subject))
  if (api === undefined)
    throw new Error(diagnostics.map(({ code, found }) => `${code} ${found}`).join())
  const schemas = new Map(api.schemas.map(({ name, schema }) => [name, schema]))
  const lookup = (name: string): Schema => schemas.get(name) ?? never
  return (item) => accepts(lookup('Subject'), item, { lookup })
}

/** One for all cases, as it compiles the schema of schemas when it meets its first schema. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true })

/**
 * Two independent implementations; each has odd corners of its own, so only what both say counts.
 */
function createPeerValidator(subject: Json): (value: Json) => boolean | undefined {
  const whole = {
    components: { schemas: { ...sharedSchemas, Subject: subject } },
    $ref: '#/components/schemas/Subject',
  }
  const one = ajv.compile(whole)
  const other = Compile(whole)
  return (item) => {
    try {
      return one(item) === other.Check(item) ? one(item) : undefined
    } catch {
      return undefined
    }
  }
}

describe('the model', () => {
  it('returns the same verdict as JSON Schema', () => {
    fc.assert(
      fc.property(
        jsonSchema,
        fc.array(jsonValue, { minLength: 8, maxLength: 8 }),
        (subject, values) => {
          const [mine, other] = [createOwnValidator(subject), createPeerValidator(subject)]
          for (const item of values) {
            const expected = other(item)
            if (expected !== undefined) expect([item, mine(item)]).toEqual([item, expected])
          }
        },
      ),
      { numRuns: countRounds(500) },
    )
  })
})
