import type { Handler } from '../contract/handler.js'

/** The latest limits that the keys of the account reached. A log names the class of the operation where no model is known yet. */
export const listRateLimitLogs: Handler<'listRateLimitLogs'> = async ({ caller, services }) => ({
  status: 200,
  json: { object: 'list', data: [...(await services.limitLog.latest(caller.account))] },
})
