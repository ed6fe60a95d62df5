export type { Fault } from './fault.js'
export {
  isRight,
  play,
  type Limits,
  type Make,
  type Party,
  type Scenario,
  type Seen,
} from './play.js'
export { scenarios } from './scenarios/index.js'
export {
  startFaultServer,
  type FaultServer,
  type Heard,
  type Script,
} from './start-fault-server.js'
