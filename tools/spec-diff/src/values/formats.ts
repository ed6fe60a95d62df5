import { admits, type Schema } from '@farebox/codegen'

/**
 * Whether validators check a format. Others, such as `password`, only describe the value. No string
 * has a known format and is one of the probes at once, as no whole number has `int64` beyond it.
 */
export function isAsserted(kind: 'number' | 'string', format: string | undefined): boolean {
  if (format === undefined) return false
  const notes = { origin: { file: '', pointer: '' } }
  const schema: Schema =
    kind === 'string' ? { kind, notes, format } : { kind, notes, format, integer: false }
  const probes = kind === 'string' ? [' \u0000', '['] : [1e300, 0.5]
  const known = results.get(`${kind} ${format}`)
  if (known !== undefined) return known
  const result = probes.some((value) => !admits(schema, value, () => schema))
  results.set(`${kind} ${format}`, result)
  return result
}

const results = new Map<string, boolean>()
