export const dateModes = ['text', 'date'] as const

/** What programs have for a text of `format: date-time`: the text, or a Date. */
export type DateMode = (typeof dateModes)[number]
