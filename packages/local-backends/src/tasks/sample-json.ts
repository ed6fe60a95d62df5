import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { generateSync, type GenerateSyncOptions, type JsonSchema } from 'json-schema-faker'
import { LocalBackendError } from '../local-backend-error.js'

/** It never forgets a compiled schema, so it is replaced from time to time. */
let validator = createValidator()
let compiled = 0
const maxCompiled = 100

function createValidator(): Ajv2020 {
  const created = new Ajv2020({ strict: false, logger: false, addUsedSchema: false })
  addFormats.default(created)
  return created
}

/** Of a value. */
const maxCharacters = 100_000

/** A first value with all properties, then with those that are required, with several seeds. */
const attempts: readonly GenerateSyncOptions[] = [
  { alwaysFakeOptionals: true, refDepthMax: 3 },
  ...Array.from({ length: 20 }, (): GenerateSyncOptions => ({ optionalsProbability: 0 })),
]

/**
 * A value that is valid by a JSON Schema, as JSON. The same for the same seed. Throws a
 * LocalBackendError if none is found.
 */
export function sampleJson(schema: unknown, seed: number, field: string): string {
  if (
    typeof schema !== 'boolean' &&
    (typeof schema !== 'object' || schema === null || Array.isArray(schema))
  )
    throw createSchemaError(field, 'expected an object or a boolean')
  const plain = omitDialect(schema)
  const isValid = compile(plain, field)
  let reason = 'no value was found that it accepts'
  for (const [index, options] of attempts.entries()) {
    try {
      const value = generateSync(plain, { ...options, seed: seed + index })
      if (value === undefined || !isValid(value)) continue
      const json = JSON.stringify(value)
      if (json.length <= maxCharacters) return json
      reason = `its value is longer than ${maxCharacters} characters`
    } catch (error) {
      reason = toMessage(error)
    }
  }
  throw createSchemaError(field, reason)
}

function compile(schema: JsonSchema, field: string): (value: unknown) => boolean {
  if (++compiled % maxCompiled === 0) validator = createValidator()
  try {
    const validate = validator.compile(schema)
    return (value) => validate(value)
  } catch (error) {
    throw createSchemaError(field, toMessage(error))
  }
}

/** Schemas of other dialects have `$schema`, and mean the same in what models are asked for. */
function omitDialect(schema: object | boolean): JsonSchema {
  if (typeof schema === 'boolean') return schema
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>
  return rest
}

function createSchemaError(field: string, reason: string): LocalBackendError {
  return new LocalBackendError(
    'rejected',
    `${field}: the test model cannot make a value for this JSON Schema: ${reason.slice(0, 300)}`,
  )
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
