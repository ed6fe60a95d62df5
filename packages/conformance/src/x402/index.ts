export type { X402Result } from './check.js'
export type { EndpointOptions } from './exchange.js'
export {
  paymentRequired,
  receipt,
  settled,
  startHostileService,
  type Authorization,
  type Behavior,
  type HostileService,
  type Reply,
} from './hostile-service.js'
export type { ClientCommand } from './run-client.js'
export { verifyX402Client, verifyX402Service } from './verify.js'
