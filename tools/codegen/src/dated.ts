import { collectDiagnostics } from './diagnostics.js'
import type { Diagnostic } from './diagnostics.js'
import { withDates } from './emit/dates/with-dates.js'
import type { Api } from './ir/api.js'

/**
 * The model with dates in place of texts of `date-time`, and a warning for each place that stays
 * text.
 */
export function dated(model: Api): { readonly api: Api; readonly diagnostics: readonly Diagnostic[] } {
  const { api, clashes } = withDates(model)
  const { report, all } = collectDiagnostics()
  for (const { schema, what } of clashes)
    report('FB3015', api.locate(schema.notes.origin), what, 'one place in which a value has it; it stays text')
  return { api, diagnostics: all() }
}
