export type { Fault } from './fault.js'
export { startFaultServer, type FaultServer, type Heard, type Script } from './start-fault-server.js'
