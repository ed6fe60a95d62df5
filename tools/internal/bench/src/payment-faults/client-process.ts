// A client as a command for `farebox verify-x402 --client`: pays X402_URL once, as the client that
// the first argument names.
import { loadClients } from './clients.js'

const [, , name = ''] = process.argv
const origin = new URL(process.env['X402_URL'] ?? '').origin
const start = loadClients()[name]
if (!start) throw new Error(`There is no client ${name}`)
const folder = `${process.env['XDG_STATE_HOME']}/payments`
const buy = await start({ origin, folder, fetch: globalThis.fetch })
process.exitCode = (await buy()) ? 0 : 1
