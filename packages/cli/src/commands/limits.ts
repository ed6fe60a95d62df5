import type { Run } from '../command.js'
import { allowedCallers, connect } from '../connect.js'
import { printJson } from '../json-output.js'
import { note, printLine, table } from '../terminal.js'

/** The rate limits of the key, or with --log the last times that it reached one. */
export const limits: Run = async (context) => {
  const { arguments: given, terminal, signal } = context
  if (given.has('log')) {
    const { farebox } = await connect(context, allowedCallers('listRateLimitLogs'))
    const data = await farebox.listRateLimitLogs({}, { signal })
    if (given.has('json')) await printJson(terminal, data)
    else if (data.length === 0) note(terminal, 'No limit was reached.')
    else {
      const rows = data.map(({ timestamp, rateLimitType, modelId, apiKeyId }) => [
        timestamp,
        rateLimitType,
        modelId,
        apiKeyId,
      ])
      await printLine(terminal, table([['TIME', 'LIMIT', 'MODEL', 'KEY'], ...rows]))
    }
    return 0
  }
  const { farebox } = await connect(context, allowedCallers('getRateLimits'))
  const data = await farebox.getRateLimits({}, { signal })
  if (given.has('json')) {
    await printJson(terminal, data)
    return 0
  }
  const { apiTier, accessPermitted, keyExpiration, nextEpochBegins } = data
  const facts = [
    ['tier', apiTier.id],
    ['access', accessPermitted ? 'permitted' : 'not permitted'],
    ['key expires', keyExpiration ?? 'never'],
    ['next day begins', nextEpochBegins],
  ]
  const rows = data.rateLimits.map(({ apiModelId, rateLimits }) => [
    apiModelId ?? '',
    rateLimits.map(({ amount, type }) => `${amount} ${type}`).join(', '),
  ])
  await printLine(terminal, `${table(facts)}\n\n${table([['MODEL', 'LIMITS'], ...rows])}`)
  return 0
}
