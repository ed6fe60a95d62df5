import type { Handler } from '../contract/handler.js'
import { keyCaller } from './key-caller.js'

/** The latest limits that the keys of the account reached. A log names the class of the operation where no model is known yet. */
export const listRateLimitLogs: Handler<'listRateLimitLogs'> = async ({ caller, services }) => ({
  json: { object: 'list', data: [...(await services.limitLog.latest(keyCaller(caller).account))] },
})
