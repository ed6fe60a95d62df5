export const dateModes = ['text', 'date', 'temporal'] as const
export const int64Modes = ['number', 'bigint'] as const

/**
 * How programs represent a `format: date-time`: as a string, a Date, or a Temporal.Instant. With
 * `temporal`, a `format: date` is a Temporal.PlainDate.
 */
export type DateMode = (typeof dateModes)[number]

/** How programs represent an integer of `format: int64`. */
export type Int64Mode = (typeof int64Modes)[number]

/** The value settings of a document. */
export type ValueModes = { readonly dates: DateMode; readonly int64: Int64Mode }

/** Whether all values stay as in JSON. */
export function arePlain({ dates, int64 }: ValueModes): boolean {
  return dates === 'text' && int64 === 'number'
}
