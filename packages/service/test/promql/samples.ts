export type Labels = Readonly<Record<string, string>>
export type Sample = { readonly name: string; readonly labels: Labels; readonly value: number }
/** What was scraped at one time, in seconds since 1970. */
export type Scrape = { readonly at: number; readonly samples: readonly Sample[] }
export type Point = { readonly labels: Labels; readonly value: number }
/** A number, or one for each combination of labels. */
export type Value = number | readonly Point[]

/** The samples of a page in the text format of Prometheus. */
export function readSamples(page: string, added: Labels = {}): readonly Sample[] {
  return [...page.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => {
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
        ([, label = '', text = '']) => [label, text.replaceAll(/\\(.)/g, '$1')],
      )
      return {
        name,
        labels: { ...added, ...(Object.fromEntries(pairs) as Labels) },
        value: Number(value),
      }
    },
  )
}

/** The same for the same labels in any order. */
export function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
