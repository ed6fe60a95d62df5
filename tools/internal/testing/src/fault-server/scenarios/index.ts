import type { Scenario } from '../play.js'
import { aborts } from './aborts.js'
import { answers } from './answers.js'
import { bursts } from './bursts.js'
import { connection } from './connection.js'
import { serverTimes } from './server-times.js'

/** Every scripted fault. `pnpm bench faults` runs them against other clients too. */
export const scenarios: readonly Scenario[] = [
  ...connection,
  ...answers,
  ...serverTimes,
  ...aborts,
  ...bursts,
]
