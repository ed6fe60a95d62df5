// node dist/corpus/judge.js DOCUMENT FOLDER VALUES OPERATIONS SEED: prints the report of one document.
import { readFile } from 'node:fs/promises'
import { argv, exit, stdout } from 'node:process'
import swagger2openapi from 'swagger2openapi'
import type { Json } from '../document/json.js'
import { own } from '../document/json.js'
import { judgeSchemas } from './judge-schemas.js'
import { loadOutputs } from './outputs.js'
import { createJudge } from './request-judge.js'
import { roundTrip } from './round-trip.js'

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
