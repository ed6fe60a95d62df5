import type { OfficeFile } from '../package/office-file.js'
import { isOn, readValue, readXml, readInteger } from '../package/xml.js'
import { formatListNumber } from './list-number.js'

/** The properties of a run that decide about its text. */
export type RunLook = {
  font?: string
  isHidden?: boolean
  /** Above the base line (1) or below it (-1). */
  shift?: number
}

type Style = RunLook & {
  parent?: string
  instance?: string
  level?: number
}

/** The properties of styles, including inherited ones. */
export type Styles = {
  /** The list of a paragraph style. Without a name: that of the default style. */
  list(name: string | undefined): { readonly instance?: string; readonly level?: number }
  /** The look of a character style. */
  run(name: string): RunLook
  /** The look of the runs of a paragraph style. Without a name: that of the default style. */
  paragraph(name: string | undefined): RunLook
}

/** Styles inherit no deeper than this. A longer chain is a cycle. */
const maxParents = 32

export function readStyles(file: OfficeFile, path: string | undefined): Styles {
  const styles = new Map<string, Style>()
  let normal: string | undefined
  let style: Style | undefined
  if (path !== undefined)
    readXml(file.archive, path, 'list of styles', file.limits, {
      open(name, attributes) {
        const value = readValue(attributes)
        if (name === 'style') {
          style = {}
          const id = readValue(attributes, 'styleId') ?? ''
          styles.set(id, style)
          const isDefault = readValue(attributes, 'default')
          if (
            readValue(attributes, 'type') === 'paragraph' &&
            isDefault !== undefined &&
            isOn(isDefault)
          )
            normal = id
        } else if (style === undefined) return
        else if (name === 'basedOn' && value !== undefined) style.parent = value
        else if (name === 'numId' && value !== undefined) style.instance = value
        else if (name === 'ilvl') style.level = Number(value ?? 0)
        else if (name === 'vanish') style.isHidden = isOn(value)
        else if (name === 'vertAlign') style.shift = readShift(value)
        else if (name === 'rFonts') {
          const font = readValue(attributes, 'ascii') ?? readValue(attributes, 'hAnsi')
          if (font !== undefined) style.font = font
        }
      },
      close(name) {
        if (name === 'style') style = undefined
      },
    })

  const inherit = <K extends keyof Style>(
    name: string | undefined,
    key: K,
  ): Style[K] | undefined => {
    let at = styles.get(name ?? '')
    for (let i = 0; at !== undefined && i < maxParents; i += 1) {
      if (at[key] !== undefined) return at[key]
      at = styles.get(at.parent ?? '')
    }
    return undefined
  }
  const looks = new Map<string | undefined, RunLook>()
  const findLook = (name: string | undefined): RunLook => {
    const known = looks.get(name)
    if (known !== undefined) return known
    const font = inherit(name, 'font')
    const isHidden = inherit(name, 'isHidden')
    const shift = inherit(name, 'shift')
    const look: RunLook = {
      ...(font !== undefined && { font }),
      ...(isHidden !== undefined && { isHidden }),
      ...(shift !== undefined && { shift }),
    }
    looks.set(name, look)
    return look
  }
  return {
    list(name) {
      const instance = inherit(name ?? normal, 'instance')
      const level = inherit(name ?? normal, 'level')
      return { ...(instance !== undefined && { instance }), ...(level !== undefined && { level }) }
    },
    run: findLook,
    paragraph: (name) => findLook(name ?? normal),
  }
}

/** The values of `vertAlign`: `superscript`, `subscript` and `baseline`. */
export function readShift(value: string | undefined): number {
  return value === 'superscript' ? 1 : value === 'subscript' ? -1 : 0
}

type Level = {
  readonly start: number
  readonly system: string
  /** With `%1` to `%9` for the numbers of the levels. */
  readonly text: string
  readonly isLegal: boolean
  /** The level, counted from 1, after which this one starts again. 0: never. */
  readonly restart: number | undefined
  readonly style: string | undefined
}

type List = {
  readonly levels: Map<number, Level>
  readonly style: string | undefined
  readonly link: string | undefined
}

type Instance = {
  readonly list: string
  readonly levels: Map<number, Level>
  readonly starts: Map<number, number>
}

/** The list properties of a paragraph. Undefined ones come from its style. */
export type ListItem = {
  readonly style: string | undefined
  readonly instance: string | undefined
  readonly level: number | undefined
}

/** The label of the next paragraph, such as `2.1` or `(a)`. Empty for bullets and other text. */
export type ListLabels = (item: ListItem) => string

/** Labels of list items in the order of the document (ECMA-376 part 1, 17.9). */
export function createListLabels(
  file: OfficeFile,
  path: string | undefined,
  styles: Styles,
): ListLabels {
  if (path === undefined) return () => ''
  const { lists, instances } = readNumbering(file, path)
  const byStyle = new Map(
    Array.from(lists, ([id, list]) => [list.style, id] as const).filter(
      ([style]) => style !== undefined,
    ),
  )
  /** The last number of each level, by list. */
  const counts = new Map<string, (number | undefined)[]>()
  const begun = new Set<string>()

  const findList = (id: string): string => {
    const link = lists.get(id)?.link
    if (link === undefined) return id
    const linked = byStyle.get(link)
    if (linked !== undefined) return linked
    const instance = instances.get(styles.list(link).instance ?? '')
    return instance !== undefined && lists.get(instance.list)?.link === undefined
      ? instance.list
      : id
  }

  return (item) => {
    const inherited = styles.list(item.style)
    const instanceId = item.instance ?? inherited.instance
    const instance = instances.get(instanceId ?? '')
    if (instance === undefined || instanceId === undefined || instanceId === '0') return ''
    const list = findList(instance.list)
    const find = (level: number) => instance.levels.get(level) ?? lists.get(list)?.levels.get(level)
    const level =
      item.level ??
      (item.instance === undefined ? levelByStyle() : undefined) ??
      inherited.level ??
      0
    const shown = find(level)
    if (shown === undefined || level > 8) return ''

    const numbers = counts.get(list) ?? []
    counts.set(list, numbers)
    const start = instance.starts.get(level)
    const first = start !== undefined && !begun.has(`${instanceId} ${level}`)
    begun.add(`${instanceId} ${level}`)
    const last = numbers[level]
    numbers[level] = first || last === undefined ? (start ?? shown.start) : last + 1
    for (let deeper = level + 1; deeper <= 8; deeper += 1) {
      const restart = find(deeper)?.restart
      if (restart === undefined || (restart !== 0 && level < restart)) numbers[deeper] = undefined
    }
    if (shown.system === 'bullet') return ''
    return shown.text
      .replaceAll(/%([1-9])/g, (_, digit: string) => {
        const at = Number(digit) - 1
        const other = find(at)
        const number = (numbers[at] ??= other?.start ?? 1)
        return formatListNumber(number, shown.isLegal ? 'decimal' : (other?.system ?? 'decimal'))
      })
      .trim()

    function levelByStyle(): number | undefined {
      for (const [at, each] of lists.get(list)?.levels ?? [])
        if (each.style !== undefined && each.style === item.style) return at
      return undefined
    }
  }
}

function readNumbering(file: OfficeFile, path: string) {
  const lists = new Map<string, List>()
  const instances = new Map<string, Instance>()
  let list: { -readonly [K in keyof List]: List[K] } | undefined
  let listId = ''
  let instance: Instance | undefined
  let override = 0
  let level: { -readonly [K in keyof Level]: Level[K] } | undefined
  let levelIndex = 0

  readXml(file.archive, path, 'list of numberings', file.limits, {
    open(name, attributes) {
      const value = readValue(attributes)
      if (name === 'abstractNum') {
        listId = readValue(attributes, 'abstractNumId') ?? ''
        list = { levels: new Map(), style: undefined, link: undefined }
      } else if (name === 'num') {
        const id = readValue(attributes, 'numId') ?? ''
        instance = { list: '', levels: new Map(), starts: new Map() }
        instances.set(id, instance)
        listId = id
      } else if (name === 'abstractNumId' && instance !== undefined) {
        instances.set(listId, (instance = { ...instance, list: value ?? '' }))
      } else if (name === 'lvlOverride') {
        override = readInteger(readValue(attributes, 'ilvl'), 0)
      } else if (name === 'startOverride') {
        instance?.starts.set(override, readInteger(value, 1))
      } else if (name === 'lvl') {
        levelIndex = readInteger(readValue(attributes, 'ilvl'), 0)
        level = {
          start: 0,
          system: 'decimal',
          text: '',
          isLegal: false,
          restart: undefined,
          style: undefined,
        }
      } else if (list !== undefined && name === 'styleLink') list.style = value
      else if (list !== undefined && name === 'numStyleLink') list.link = value
      else if (level === undefined) return
      else if (name === 'start') level.start = readInteger(value, 0)
      else if (name === 'numFmt') {
        // a custom format is an example, `001, 002`, before the format of older programs
        const zeros = /^(0+)1\b/.exec(readValue(attributes, 'format') ?? '')?.[1]
        if (zeros !== undefined) level.system = `decimal${zeros}`
        else if (!level.system.startsWith('decimal0')) level.system = value ?? 'decimal'
      } else if (name === 'lvlText') level.text = value ?? ''
      else if (name === 'isLgl') level.isLegal = value !== '0' && value !== 'false'
      else if (name === 'lvlRestart') level.restart = readInteger(value, 0)
      else if (name === 'pStyle') level.style = value
    },
    close(name) {
      if (name === 'lvl' && level !== undefined) {
        const levels = instance?.levels ?? list?.levels
        if (levelIndex >= 0 && levelIndex <= 8) levels?.set(levelIndex, level)
        level = undefined
      } else if (name === 'abstractNum' && list !== undefined) {
        lists.set(listId, list)
        list = undefined
      } else if (name === 'num') instance = undefined
    },
  })
  return { lists, instances }
}
