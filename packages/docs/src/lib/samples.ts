const files = import.meta.glob<string>('../../samples/**/*.{ts,sh,py,json,yml}', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** The text of a sample. Samples are files that the test beside them runs against the service. */
export function sample(name: string): string {
  const text = files[`../../samples/${name}`]
  if (text === undefined) throw new Error(`There is no sample packages/docs/samples/${name}.`)
  return text.trimEnd()
}

export function hasSample(name: string): boolean {
  return `../../samples/${name}` in files
}
