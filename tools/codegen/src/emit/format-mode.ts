/** Whether validators check formats (`assert`) or ignore them (`annotate`). */
export const formatModes = ['assert', 'annotate'] as const
export type FormatMode = (typeof formatModes)[number]
