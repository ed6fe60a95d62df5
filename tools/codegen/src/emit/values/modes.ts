export const dateModes = ['text', 'date', 'temporal'] as const
export const int64Modes = ['number', 'bigint'] as const

/**
 * What programs have for a text of `format: date-time`: the text, a Date, or a Temporal.Instant.
 * With `temporal`, a text of `format: date` is a Temporal.PlainDate.
 */
export type DateMode = (typeof dateModes)[number]

/** What programs have for a whole number of `format: int64`. */
export type Int64Mode = (typeof int64Modes)[number]

/** What a document's settings say of the values of programs. */
export type ValueModes = { readonly dates: DateMode; readonly int64: Int64Mode }

/** Whether programs have the values that JSON has. */
export function arePlain({ dates, int64 }: ValueModes): boolean {
  return dates === 'text' && int64 === 'number'
}
