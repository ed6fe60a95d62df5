import type { Context } from '../command.js'

/** The fields of a key that the options give. The service refuses values that it does not know. */
export function readKeyFields({
  arguments: given,
}: Pick<Context, 'arguments'>): Readonly<Record<string, unknown>> {
  const [usd, diem] = [given.number('limit-usd', 0), given.number('limit-diem', 0)]
  const [description, period, expires] = [
    given.text('description'),
    given.text('period'),
    given.text('expires'),
  ]
  const consumptionLimit = {
    ...(usd !== undefined && { usd }),
    ...(diem !== undefined && { diem }),
  }
  return {
    ...(description !== undefined && { description }),
    ...(Object.keys(consumptionLimit).length > 0 && { consumptionLimit }),
    ...(period !== undefined && { limitPeriod: period }),
    ...(expires !== undefined && { expiresAt: expires }),
  }
}
