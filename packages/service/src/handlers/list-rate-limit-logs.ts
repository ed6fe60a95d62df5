import type { Handler } from '../contract/handler.js'

/** The latest limits that keys of the account reached, each with its class of operations. */
export const listRateLimitLogs: Handler<'listRateLimitLogs'> = async ({ caller, services }) => ({
  status: 200,
  json: { object: 'list', data: [...(await services.limitLog.latest(caller.account))] },
})
