/** A plain value as text: in a path, a query, a form or an input. */
export function written(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
