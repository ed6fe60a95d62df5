import type { Temporal } from 'temporal-spec'
import * as z from './zod.js'

/** A moment that RFC 3339 can write: its year has four digits. */
/* @__NO_SIDE_EFFECTS__ */
export function instant(): z.ZodType<Temporal.Instant, Temporal.Instant> {
  return createSchema('Instant')
}

/** A day that RFC 3339 can write: its year has four digits. */
/* @__NO_SIDE_EFFECTS__ */
export function plainDate(): z.ZodType<Temporal.PlainDate, Temporal.PlainDate> {
  return createSchema('PlainDate')
}

/** By its tag, so that a polyfill's value is one too. */
/* @__NO_SIDE_EFFECTS__ */
function createSchema<Value>(name: string): z.ZodType<Value, Value> {
  return z.unknown().check(({ value, issues }) => {
    if (
      Object.prototype.toString.call(value) === `[object Temporal.${name}]` &&
      /^\d{4}-/.test(String(value))
    )
      return
    issues.push({
      code: 'custom',
      message: `Invalid input: expected a Temporal.${name} of the years 0 to 9999`,
      input: value,
    })
  }) as unknown as z.ZodType<Value, Value>
}
