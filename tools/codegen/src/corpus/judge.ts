// node dist/corpus/judge.js DOCUMENT FOLDER VALUES OPERATIONS SEED: prints the report of one document.
import { readFile } from 'node:fs/promises'
import { argv, exit, stdout } from 'node:process'
import * as fc from 'fast-check'
import swagger2openapi from 'swagger2openapi'
import { own, type Json } from '../document/json.js'
import { loadOutputs, type Outputs } from './outputs.js'
import { createJudge, type DocumentJudge } from './request-judge.js'
import { roundTrip, type Effort, type Failure } from './round-trip.js'

const [file = '', folder = '', values = '2', operations = '40', seed = '1'] = argv.slice(2)
const effort = { values: Number(values), operations: Number(operations), seed: Number(seed) }
const written = JSON.parse(await readFile(file, 'utf8')) as Json
const root =
  own(written, 'swagger') === undefined
    ? written
    : ((
        await swagger2openapi.convertObj(written as never, {
          patch: true,
          warnOnly: true,
          anchors: true,
        })
      ).openapi as unknown as Json)
const judge = createJudge(JSON.parse(JSON.stringify(root)) as Json)
const outputs = await loadOutputs(folder)
const report = await roundTrip(outputs, effort, judge.request)
const failures = [...report.failures, ...judgeSchemas(outputs, judge, effort)]
// a server or a stream may still be open
stdout.write(JSON.stringify({ ...report, failures }), () => exit(0))

/** Values of named schemas and near misses: the validators and Ajv must agree on each. */
function judgeSchemas(
  { schemas, validators }: Outputs,
  { keys, accepts }: DocumentJudge,
  { values, operations, seed }: Effort,
): readonly Failure[] {
  const failures: Failure[] = []
  for (const key of keys.slice(0, operations)) {
    const arbitrary = schemas[key]
    const validator = validators[key]
    if (arbitrary === undefined || validator === undefined) continue
    const judge = (value: unknown, isNear: boolean): void => {
      if (holdsBytes(value)) return
      const theirs = accepts(key, value)
      const ours = validator.safeParse(value).success
      // Ajv checks no formats here, so a rejected near miss may have one
      if (theirs === undefined || theirs === ours || (isNear && !ours)) return
      failures.push({
        kind: `validator ${ours ? 'accepts' : 'rejects'}, Ajv differs`,
        operation: key,
        detail: JSON.stringify(value).slice(0, 400),
      })
    }
    try {
      fc.sample(arbitrary.valid, { numRuns: values, seed }).forEach((value) => judge(value, false))
      if (arbitrary.nearMiss !== undefined)
        fc.sample(arbitrary.nearMiss, { numRuns: values * 2, seed }).forEach((value) =>
          judge(value, true),
        )
    } catch (error) {
      failures.push({
        kind: 'arbitraries',
        operation: key,
        detail: error instanceof Error ? error.message.slice(0, 400) : String(error),
      })
    }
  }
  return failures
}

function holdsBytes(value: unknown): boolean {
  if (value instanceof Uint8Array || value instanceof Blob) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBytes)
}
