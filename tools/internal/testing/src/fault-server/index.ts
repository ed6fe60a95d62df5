import type { Scenario } from './play.js'
import { aborts } from './scenarios/aborts.js'
import { responses } from './scenarios/responses.js'
import { bursts } from './scenarios/bursts.js'
import { connection } from './scenarios/connection.js'
import { serverTimes } from './scenarios/server-times.js'

export type { Fault } from './fault.js'
export {
  isRight,
  play,
  type Limits,
  type Make,
  type Party,
  type Scenario,
  type ScenarioResult,
} from './play.js'
export {
  startFaultServer,
  type FaultServer,
  type ReceivedRequest,
  type Script,
} from './start-fault-server.js'

/** Every scripted fault. `pnpm bench faults` runs them against other clients too. */
export const scenarios: readonly Scenario[] = [
  ...connection,
  ...responses,
  ...serverTimes,
  ...aborts,
  ...bursts,
]
