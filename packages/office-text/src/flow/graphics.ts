import type { OfficeFile } from '../package/office-file.js'
import { readXml, unescapeXstring } from '../package/xml.js'
import { createNumberFormat } from '../cell-formats.js'
import { createRunText } from './run-text.js'
import type { FlowOptions } from './state.js'

type Series = {
  name: string
  /** Where chart parts name their caches: `cat`, `val`, `xVal`, `yVal`, `bubbleSize`. */
  readonly columns: Map<string, Map<number, string>>
}

/** Elements of a series that hold a column of values. */
const columnNames: ReadonlySet<string> = new Set(['cat', 'val', 'xVal', 'yVal', 'bubbleSize'])

/**
 * The lines of a chart (ECMA-376 part 1, 21.2, and the later `chartex`): titles, and a table of
 * categories and series. Values are as the cache of the chart states them, in its number formats.
 */
export function readChart(file: OfficeFile, path: string, readLines: ReadLines): readonly string[] {
  const titles: { readonly text: string; readonly isOfAxis: boolean }[] = []
  const labels: string[] = []
  const series: Series[] = []
  const shapes: string[] = []
  /** The dimensions of a `chartex`, which stand before its series. */
  const dimensions: Map<number, string>[] = []
  const format = createNumberFormat(false)
  const open: string[] = []
  let rich: string | undefined
  let column: Map<number, string> | undefined
  let code = ''
  let index = 0
  let value = ''
  let current: Series | undefined

  let label = ''
  let isTitleDeleted = false
  const isWithin = (name: string): boolean => open.includes(name)
  /** Rich text belongs to a title, or to the label of a value or of the unit of an axis. */
  const runs = createRunText(
    {
      add(text) {
        if (isWithin('title')) rich = (rich ?? '') + text
        else label += text
      },
      paragraph: () => (isWithin('title') ? (rich ?? '') : label),
    },
    file.warnings,
  )
  const store = (): void => {
    const text = unescapeXstring(value).replaceAll(/\s+/g, ' ').trim()
    file.characters.spend(text.length)
    const last = open.at(-1)
    if (last !== 'v' && last !== 'pt') return
    if (isWithin('title')) rich = (rich ?? '') + (isWithin('rich') ? '' : text)
    else if (column !== undefined) {
      const known = column.get(index)
      const label = /^[-+.\d]/.test(text) && code !== '' ? format(text, code) : text
      column.set(index, known === undefined ? label : `${label} ${known}`)
    } else if (isWithin('datalabelsRange') || isWithin('dlblRangeCache')) labels.push(text)
    else if (current !== undefined && isWithin('tx')) current.name ||= text
  }

  readXml(file.archive, path, 'chart', file.limits, {
    open(name, attributes) {
      open.push(name)
      value = ''
      if (name === 'title') rich = undefined
      else if (name === 'r') runs.open()
      else if (name === 'rPr') runs.properties(attributes)
      else if (name === 'blip') file.warnings.add('images_without_text')
      else if (name === 'autoTitleDeleted')
        isTitleDeleted = attributes['val'] !== '0' && attributes['val'] !== 'false'
      else if (name === 'ser' || name === 'series')
        series.push((current = { name: '', columns: new Map() }))
      else if (columnNames.has(name) && current !== undefined && !isWithin('errBars'))
        current.columns.set(name, (column = new Map()))
      else if (name === 'strDim' || name === 'numDim') dimensions.push((column = new Map()))
      else if (name === 'pt') {
        index = Number(attributes['idx'] ?? 0)
        code = attributes['formatCode'] ?? code
      } else if (name === 'lvl') code = attributes['formatCode'] ?? ''
      else if (name === 'numCache' || name === 'strCache') code = ''
      else if (name === 'p' && rich !== undefined) rich += ' '
      else if (name === 'userShapes') {
        const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
        const shape = file.links(path).find((link) => link.id === id)
        if (shape !== undefined && shape.path !== '') shapes.push(shape.path)
      }
    },
    text(text) {
      value += text
    },
    close(name) {
      if (name === 'formatCode') code = value
      else if (name === 'v' || (name === 'pt' && value.trim() !== '')) store()
      else if (name === 't') {
        file.characters.spend(value.length)
        if (isWithin('title') || isWithin('dLbl') || isWithin('dLbls') || isWithin('dispUnitsLbl'))
          runs.add(value)
      } else if (name === 'p' && label !== '') {
        labels.push(label.trim())
        label = ''
      } else if (name === 'name' && open.at(-2) === 'trendline') {
        file.characters.spend(value.length)
        labels.push(value.trim())
      } else if (name === 'title') {
        const text = (rich ?? '').replaceAll(/\s+/g, ' ').trim()
        titles.push({ text, isOfAxis: /^(?:cat|val|date|ser)Ax$/.test(open.at(-2) ?? '') })
        rich = undefined
      } else if (columnNames.has(name) || name === 'strDim' || name === 'numDim') column = undefined
      else if (name === 'ser' || name === 'series') current = undefined
      value = ''
      open.pop()
    },
  })
  const first = series[0]
  if (dimensions.length > 0 && first !== undefined)
    dimensions.forEach((dimension, at) =>
      first.columns.set(at === 0 ? 'cat' : `val${at}`, dimension),
    )
  // programs show this for a title without text
  const shown = titles.map(({ text, isOfAxis }) => {
    if (text !== '') return text
    if (!isOfAxis && isTitleDeleted) return ''
    return isOfAxis
      ? 'Axis Title'
      : series.length === 1 && series[0]?.name !== ''
        ? ''
        : 'Chart Title'
  })
  const lines = [
    ...shown.filter(Boolean),
    ...writeTable(series),
    ...labels.filter((label) => label !== ''),
  ]
  for (const line of lines) file.characters.spend(line.length)
  const drawn = shapes.flatMap((shape) => readLines(shape, 'drawing'))
  return [...lines, ...drawn.filter((line) => line.trim() !== '')]
}

/** One table if the series share their categories, as most do. Otherwise one per series. */
function writeTable(series: readonly Series[]): readonly string[] {
  /** By the categories of their rows. */
  const tables = new Map<string, { readonly rows: Map<number, string[]>; heads: string[] }>()
  for (const { name, columns } of series) {
    const heads = columns.get('cat') ?? columns.get('xVal') ?? new Map<number, string>()
    const values = [...columns]
      .filter(([key]) => key !== 'cat' && key !== 'xVal')
      .map(([, each]) => each)
    const indexes = [
      ...new Set([...heads.keys(), ...values.flatMap((each) => [...each.keys()])]),
    ].sort((a, b) => a - b)
    const rows = new Map(indexes.map((at) => [at, [heads.get(at) ?? String(at + 1)]]))
    const keys = JSON.stringify([...rows])
    const table = tables.get(keys) ?? { rows, heads: [''] }
    tables.set(keys, table)
    for (const each of values.length === 0 ? [new Map<number, string>()] : values) {
      table.heads.push(each === values[0] || values.length === 0 ? name : '')
      for (const [at, row] of table.rows) row.push(each.get(at) ?? '')
    }
  }
  return [...tables.values()]
    .flatMap(({ heads, rows }) => [heads, ...rows.values()])
    .map((row) => row.join('\t').trimEnd())
    .filter((line) => line.trim() !== '')
}

/** Reads the lines of a part, as `readFlow` does. */
export type ReadLines = (path: string, label: string, options?: FlowOptions) => readonly string[]

/**
 * The lines of a SmartArt graphic (ECMA-376 part 1, 21.4): the texts of its points in the order of
 * their tree. Points that the tree does not have come last.
 */
export function readDiagram(path: string, readLines: ReadLines): readonly string[] {
  const points = new Map<string, readonly string[]>()
  const children = new Map<string, { readonly order: number; readonly id: string }[]>()
  const inner = new Set<string>()
  readLines(path, 'diagram', {
    openers: (writer) => ({
      pt({ modelId = '' }) {
        points.set(modelId, [])
        writer.beginCapture()
        return () => points.set(modelId, writer.endCapture().lines)
      },
      cxn({ type = 'parOf', srcId = '', destId = '', srcOrd }) {
        if (type !== 'parOf') return undefined
        const list = children.get(srcId) ?? []
        children.set(srcId, list)
        list.push({ order: Number(srcOrd ?? list.length), id: destId })
        inner.add(destId)
        return undefined
      },
    }),
  })

  const texts: string[] = []
  const seen = new Set<string>()
  const ids = [...points.keys()].toReversed()
  const pending = [...ids.filter((id) => inner.has(id)), ...ids.filter((id) => !inner.has(id))]
  while (pending.length > 0) {
    const id = pending.pop() ?? ''
    if (seen.has(id)) continue
    seen.add(id)
    texts.push(...(points.get(id) ?? []).filter((line) => line.trim() !== ''))
    const list = children.get(id) ?? []
    pending.push(...list.toSorted((a, b) => b.order - a.order).map((child) => child.id))
  }
  return texts
}
