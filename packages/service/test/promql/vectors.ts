import { keyOf, type Labels, type Point, type Value } from './samples.js'

export const aggregations: Readonly<Record<string, (values: readonly number[]) => number>> = {
  sum: (values) => values.reduce((total, one) => total + one, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
}

const operations: Readonly<Record<string, (left: number, right: number) => number | boolean>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}

/** Series of both sides meet when their labels are the same. A comparison keeps the left one. */
export function combined(operator: string, left: Value, right: Value): Value {
  const operation = operations[operator]
  if (!operation) throw new Error(`PromQL: ${operator} is no operator`)
  if (typeof left === 'number' && typeof right === 'number') return Number(operation(left, right))
  const pairs =
    typeof left === 'number'
      ? (right as readonly Point[]).map((point) => ({ point, sides: [left, point.value] as const }))
      : left.flatMap((point) => {
          const other =
            typeof right === 'number'
              ? right
              : right.find(({ labels }) => keyOf(labels) === keyOf(point.labels))?.value
          return other === undefined ? [] : [{ point, sides: [point.value, other] as const }]
        })
  return pairs.flatMap(({ point, sides }) => {
    const result = operation(...sides)
    if (typeof result === 'number') return [{ labels: point.labels, value: result }]
    return result ? [point] : []
  })
}

export function aggregated(
  value: Value,
  by: readonly string[],
  aggregate: (values: readonly number[]) => number,
): readonly Point[] {
  const groups = new Map<string, { readonly labels: Labels; readonly values: number[] }>()
  for (const point of value as readonly Point[]) {
    const labels = Object.fromEntries(
      by.flatMap((name) => (point.labels[name] === undefined ? [] : [[name, point.labels[name]]])),
    )
    const group = groups.get(keyOf(labels)) ?? { labels, values: [] }
    group.values.push(point.value)
    groups.set(keyOf(labels), group)
  }
  return [...groups.values()].map(({ labels, values }) => ({ labels, value: aggregate(values) }))
}

/** Linear between the bounds of a bucket, as Prometheus has it. */
export function quantileOf(quantile: number, buckets: readonly Point[]): readonly Point[] {
  const groups = new Map<
    string,
    { readonly labels: Labels; readonly buckets: { bound: number; count: number }[] }
  >()
  for (const { labels, value } of buckets) {
    const { le = '', ...others } = labels
    const group = groups.get(keyOf(others)) ?? { labels: others, buckets: [] }
    group.buckets.push({ bound: le === '+Inf' ? Infinity : Number(le), count: value })
    groups.set(keyOf(others), group)
  }
  return [...groups.values()].map((group) => {
    const sorted = group.buckets.toSorted((one, other) => one.bound - other.bound)
    const rank = quantile * (sorted.at(-1)?.count ?? 0)
    const place = sorted.findIndex(({ count }) => count >= rank)
    const [below, found] = [sorted[place - 1] ?? { bound: 0, count: 0 }, sorted[place]]
    if (!found || sorted.at(-1)?.count === 0) return { labels: group.labels, value: NaN }
    if (found.bound === Infinity) return { labels: group.labels, value: below.bound }
    const share = (rank - below.count) / (found.count - below.count)
    return { labels: group.labels, value: below.bound + (found.bound - below.bound) * share }
  })
}
