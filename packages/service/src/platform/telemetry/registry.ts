export type Labels = Readonly<Record<string, string>>

/**
 * Counters, gauges and histograms, as values, or printed in the text format of Prometheus, version
 * 0.0.4.
 */
export type Registry = {
  readonly counter: (name: string, help: string) => (labels?: Labels, by?: number) => void
  readonly histogram: (
    name: string,
    help: string,
    bounds: readonly number[],
  ) => (labels: Labels, value: number) => void
  /** Calls `read` for each collection, which has no point of a reading that rejects. */
  readonly reading: (
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    read: MetricReader,
  ) => void
  readonly collect: () => Promise<readonly MetricFamily[]>
  readonly print: () => Promise<string>
}

/** One number, or one for each combination of labels. */
export type Reading = number | readonly { readonly labels: Labels; readonly value: number }[]
export type MetricReader = () => Reading | Promise<Reading>

/**
 * A metric with its current points. `counts` has a number for each bound, and one for all values
 * above.
 */
export type MetricFamily = { readonly name: string; readonly help: string } & (
  | {
      readonly type: 'counter' | 'gauge'
      readonly points: readonly { readonly labels: Labels; readonly value: number }[]
    }
  | {
      readonly type: 'histogram'
      readonly bounds: readonly number[]
      readonly points: readonly HistogramPoint[]
    }
)

type HistogramPoint = {
  readonly labels: Labels
  readonly counts: readonly number[]
  readonly sum: number
}

export function createRegistry(): Registry {
  const families: (() => MetricFamily | Promise<MetricFamily>)[] = []
  const collect = () => Promise.all(families.map(async (family) => family()))

  return {
    counter: (name, help) => {
      const series = new Map<string, { readonly labels: Labels; value: number }>()
      families.push(() => ({ name, help, type: 'counter', points: [...series.values()] }))
      return (labels = {}, by = 1) => {
        const key = toLabelKey(labels)
        const one = series.get(key)
        if (one) one.value += by
        else series.set(key, { labels, value: by })
      }
    },

    histogram: (name, help, bounds) => {
      const series = new Map<
        string,
        { readonly labels: Labels; readonly counts: number[]; sum: number }
      >()
      families.push(() => ({ name, help, type: 'histogram', bounds, points: [...series.values()] }))
      return (labels, value) => {
        const key = toLabelKey(labels)
        const one = series.get(key) ?? {
          labels,
          counts: Array.from({ length: bounds.length + 1 }, () => 0),
          sum: 0,
        }
        let place = 0
        while (value > (bounds[place] ?? Infinity)) place++
        one.counts[place] = (one.counts[place] ?? 0) + 1
        one.sum += value
        series.set(key, one)
      }
    },

    reading: (name, type, help, read) =>
      void families.push(async () => ({ name, help, type, points: await readPoints(read) })),

    collect,

    print: async () =>
      `${(await collect()).flatMap((family) => formatFamily(family)).join('\n')}\n`,
  }
}

async function readPoints(
  read: MetricReader,
): Promise<readonly { readonly labels: Labels; readonly value: number }[]> {
  try {
    const values = await read()
    return typeof values === 'number' ? [{ labels: {}, value: values }] : values
  } catch {
    return []
  }
}

function formatFamily(family: MetricFamily): readonly string[] {
  const { name, help, type } = family
  const samples =
    type === 'histogram'
      ? family.points.flatMap((point) => formatHistogram(name, family.bounds, point))
      : family.points.map(({ labels, value }) => `${name}${printLabels(labels)} ${value}`)
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples]
}

/** Buckets are cumulative. */
function formatHistogram(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: HistogramPoint,
): string[] {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    return `${name}_bucket${printLabels({ ...labels, le: String(bounds[index] ?? '+Inf') })} ${total}`
  })
  return [
    ...buckets,
    `${name}_sum${printLabels(labels)} ${sum}`,
    `${name}_count${printLabels(labels)} ${total}`,
  ]
}

/** The key of a series. All labels of a family have the same names. */
function toLabelKey(labels: Labels): string {
  let key = ''
  for (const name in labels) key += `${labels[name]}\0`
  return key
}

function printLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, escapeCharacter)}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeCharacter(character: string): string {
  return character === '\n' ? String.raw`\n` : `\\${character}`
}
