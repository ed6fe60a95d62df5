/** The value of `w:val`, with any prefix. */
export function readValue(
  attributes: Readonly<Record<string, string>>,
  name = 'val',
): string | undefined {
  const suffix = `:${name}`
  for (const key in attributes) if (key === name || key.endsWith(suffix)) return attributes[key]
  return undefined
}

/** A switch of WordprocessingML is on without a value. */
export function isOn(value: string | undefined): boolean {
  return value === undefined || !['0', 'false', 'off'].includes(value)
}

/** A whole number, or the default for what is none. */
export function readInteger(value: string | undefined, otherwise: number): number {
  return /^-?\d{1,9}$/.test(value ?? '') ? Number(value) : otherwise
}
