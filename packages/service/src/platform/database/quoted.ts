/** The name of a table, column or constraint, as SQL takes any of them. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
