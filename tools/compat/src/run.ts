// `pnpm compat` runs the matrix and writes what the site shows.
import { writeFileSync } from 'node:fs'
import { recordedMatrix, runMatrix, withRecorded } from './matrix.js'

writeFileSync(
  new URL('../matrix.json', import.meta.url),
  `${JSON.stringify(withRecorded(await runMatrix(), recordedMatrix()), undefined, 2)}\n`,
)
