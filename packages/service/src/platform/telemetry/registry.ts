export type Labels = Readonly<Record<string, string>>

/** Counters, gauges and histograms, printed in the text format of Prometheus, version 0.0.4. */
export type Registry = {
  readonly counter: (name: string, help: string) => (labels?: Labels, by?: number) => void
  readonly histogram: (name: string, help: string, bounds: readonly number[]) => (labels: Labels, value: number) => void
  /** Calls `read` for each print, which has no sample of a reading that rejects. */
  readonly reading: (name: string, type: 'counter' | 'gauge', help: string, read: Read) => void
  readonly print: () => Promise<string>
}

/** One number, or one for each combination of labels. */
export type Reading = number | readonly { readonly labels: Labels; readonly value: number }[]
export type Read = () => Reading | Promise<Reading>

type Samples = readonly string[]
type Family = { readonly name: string; readonly type: string; readonly help: string; readonly samples: () => Samples | Promise<Samples> }

export function createRegistry(): Registry {
  const families: Family[] = []

  return {
    counter: (name, help) => {
      const series = new Map<string, { readonly labels: Labels; value: number }>()
      const samples = () => [...series.values()].map(({ labels, value }) => `${name}${printLabels(labels)} ${value}`)
      families.push({ name, type: 'counter', help, samples })
      return (labels = {}, by = 1) => {
        const key = keyOf(labels)
        const one = series.get(key)
        if (one) one.value += by
        else series.set(key, { labels, value: by })
      }
    },

    histogram: (name, help, bounds) => {
      const series = new Map<string, Series>()
      families.push({ name, type: 'histogram', help, samples: () => [...series.values()].flatMap((one) => samplesOf(name, bounds, one)) })
      return (labels, value) => {
        const key = keyOf(labels)
        const one = series.get(key) ?? { labels, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }
        const place = bounds.findIndex((bound) => value <= bound)
        const index = place === -1 ? bounds.length : place
        one.counts[index] = (one.counts[index] ?? 0) + 1
        one.sum += value
        series.set(key, one)
      }
    },

    reading: (name, type, help, read) => void families.push({ name, type, help, samples: () => samplesRead(name, read) }),

    print: async () => {
      const printed = await Promise.all(
        families.map(async ({ name, type, help, samples }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await samples())]),
      )
      return `${printed.flat().join('\n')}\n`
    },
  }
}

async function samplesRead(name: string, read: Read): Promise<Samples> {
  try {
    const found = await read()
    const all = typeof found === 'number' ? [{ labels: {}, value: found }] : found
    return all.map(({ labels, value }) => `${name}${printLabels(labels)} ${value}`)
  } catch {
    return []
  }
}

type Series = { readonly labels: Labels; readonly counts: number[]; sum: number }

/** Buckets are cumulative. */
function samplesOf(name: string, bounds: readonly number[], { labels, counts, sum }: Series): string[] {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    return `${name}_bucket${printLabels({ ...labels, le: String(bounds[index] ?? '+Inf') })} ${total}`
  })
  return [...buckets, `${name}_sum${printLabels(labels)} ${sum}`, `${name}_count${printLabels(labels)} ${total}`]
}

/** The key of a series. All labels of a family have the same names. */
function keyOf(labels: Labels): string {
  let key = ''
  for (const name in labels) key += `${labels[name]}\0`
  return key
}

function printLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, escaped)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(character: string): string {
  return character === '\n' ? String.raw`\n` : `\\${character}`
}
