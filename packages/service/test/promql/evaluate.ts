import { keyOf, type Labels, type Point, type Sample, type Scrape, type Value } from './samples.js'
import { conditionOf, tokensOf } from './tokens.js'
import { aggregated, aggregations, combined, quantileOf } from './vectors.js'

/**
 * The value of an expression at the last scrape. It knows the part of PromQL that the rules use,
 * and throws for any other. Unlike Prometheus, `rate` and `increase` do not extrapolate to the ends
 * of their range, so they are a little smaller.
 */
export function evaluate(expression: string, scrapes: readonly Scrape[]): Value {
  const tokens = tokensOf(expression)
  let at = 0
  const now = scrapes.at(-1)?.at ?? 0
  const current = () => tokens[at]
  const take = (wanted?: string): string => {
    const token = tokens[at++]
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw new Error(
        `PromQL: found ${token ?? 'the end'}, expected ${wanted ?? 'more'} in ${expression}`,
      )
    return token
  }
  const binary = (operators: readonly string[], operand: () => Value) => (): Value => {
    let left = operand()
    while (operators.includes(current() ?? '')) left = combined(take(), left, operand())
    return left
  }
  const product = binary(['*', '/'], () => primary())
  const sum = binary(['+', '-'], product)
  const comparison = binary(['>', '<', '==', '!=', '>=', '<='], sum)

  const primary = (): Value => {
    const token = take()
    if (token === '(') return closed(comparison())
    if (/^[\d.]+$/.test(token)) return Number(token)
    if (token === 'time') {
      take('(')
      return closed(now)
    }
    if (token === 'rate' || token === 'increase') {
      take('(')
      return closed(growth(selector(take()), token))
    }
    if (token === 'histogram_quantile') {
      take('(')
      const quantile = comparison()
      take(',')
      return closed(quantileOf(Number(quantile), comparison() as readonly Point[]))
    }
    const aggregation = aggregations[token]
    if (aggregation) {
      const by = current() === 'by' ? names() : []
      take('(')
      return aggregated(closed(comparison()), by, aggregation)
    }
    const { matches } = selector(token)
    return (scrapes.at(-1)?.samples ?? []).filter(matches)
  }
  const closed = <T>(value: T): T => {
    take(')')
    return value
  }
  const names = (): readonly string[] => {
    take('by')
    take('(')
    const found: string[] = []
    while (current() !== ')')
      if (current() === ',') take()
      else found.push(take())
    take(')')
    return found
  }
  const selector = (name: string) => {
    const conditions: ((labels: Labels) => boolean)[] = []
    if (current() === '{') {
      take()
      while (current() !== '}') {
        if (current() === ',') take()
        const [label, operator, text] = [take(), take(), JSON.parse(take()) as string]
        conditions.push(conditionOf(label, operator, text))
      }
      take()
    }
    const matches = (sample: Sample) =>
      sample.name === name && conditions.every((holds) => holds(sample.labels))
    const range = /^\[(\d+)([smh])\]$/.exec(current() ?? '')
    if (!range) return { matches, seconds: 0 }
    take()
    return {
      matches,
      seconds: Number(range[1]) * { s: 1, m: 60, h: 3600 }[range[2] as 's' | 'm' | 'h'],
    }
  }

  /** What each series has grown by in a range, without its resets. */
  const growth = (
    { matches, seconds }: ReturnType<typeof selector>,
    kind: 'rate' | 'increase',
  ): readonly Point[] => {
    const series = new Map<
      string,
      { readonly labels: Labels; readonly points: { at: number; value: number }[] }
    >()
    for (const scrape of scrapes.filter((one) => one.at > now - seconds)) {
      for (const { labels, value } of scrape.samples.filter(matches)) {
        const one = series.get(keyOf(labels)) ?? { labels, points: [] }
        one.points.push({ at: scrape.at, value })
        series.set(keyOf(labels), one)
      }
    }
    return [...series.values()].flatMap(({ labels, points }) => {
      const [first] = points
      const last = points.at(-1)
      if (!first || !last || first === last) return []
      const grown = points.slice(1).reduce((total, { value }, place) => {
        const before = points[place]?.value ?? 0
        return total + (value < before ? value : value - before)
      }, 0)
      return [{ labels, value: kind === 'rate' ? grown / (last.at - first.at) : grown }]
    })
  }

  const value = comparison()
  if (current() !== undefined) throw new Error(`PromQL: ${current()} is left over in ${expression}`)
  return value
}
