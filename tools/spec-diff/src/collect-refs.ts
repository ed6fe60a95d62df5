/** The names of all schemas that a value refers to directly. Notes contain none. */
export function collectRefs(value: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown }
    if (kind === 'ref' && typeof name === 'string') names.add(name)
    for (const key of Object.keys(node)) {
      const inner =
        key === 'notes' || key === 'origin'
          ? undefined
          : (node as Readonly<Record<string, unknown>>)[key]
      if (typeof inner === 'object') stack.push(inner)
    }
  }
  return names
}
