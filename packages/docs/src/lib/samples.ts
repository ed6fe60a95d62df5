const files = import.meta.glob<string>(
  ['../../samples/**/*.{ts,sh,py,json,yml}', '../../../../examples/*/*.mjs'],
  { query: '?raw', import: 'default', eager: true },
)

/**
 * The text of a file in `samples`, or of one in `examples/`. Tests run all of them against the
 * service.
 */
export function sample(name: string): string {
  const text = files[toPath(name)]
  if (text === undefined) throw new Error(`There is no sample ${name}.`)
  return text.trimEnd()
}

export function hasSample(name: string): boolean {
  return toPath(name) in files
}

function toPath(name: string): string {
  return name.startsWith('examples/') ? `../../../../${name}` : `../../samples/${name}`
}
