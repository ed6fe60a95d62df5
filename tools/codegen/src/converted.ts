import { collectDiagnostics } from './diagnostics.js'
import type { Diagnostic } from './diagnostics.js'
import { arePlain, type ValueModes } from './emit/values/modes.js'
import { withValues } from './emit/values/with-values.js'
import type { Api } from './ir/api.js'

/**
 * The model with dates and bigints where they are asked for, and a warning for each place that
 * keeps what JSON has.
 */
export function converted(model: Api, modes: ValueModes): { readonly api: Api; readonly diagnostics: readonly Diagnostic[] } {
  if (arePlain(modes)) return { api: model, diagnostics: [] }
  const { api, clashes } = withValues(model, modes)
  const { report, all } = collectDiagnostics()
  for (const { schema, what } of clashes)
    report('FB3015', api.locate(schema.notes.origin), what, 'one place in which a value has it; it stays as JSON has it')
  return { api, diagnostics: all() }
}
