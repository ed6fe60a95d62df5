import type { OfficeFile } from '../package/office-file.js'
import { isOn, readValue, readXml } from '../package/xml.js'

type Style = {
  parent?: string
  instance?: string
  level?: number
  font?: string
  isHidden?: boolean
}

/** What styles give to text and paragraphs, with what they inherit. */
export type Styles = {
  /** The list of a paragraph style. Without a name: that of the default style. */
  list(name: string | undefined): { readonly instance?: string; readonly level?: number }
  /** The font and visibility of a character style. */
  run(name: string): { readonly font?: string; readonly isHidden?: boolean }
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
  return {
    list(name) {
      const instance = inherit(name ?? normal, 'instance')
      const level = inherit(name ?? normal, 'level')
      return { ...(instance !== undefined && { instance }), ...(level !== undefined && { level }) }
    },
    run(name) {
      const font = inherit(name, 'font')
      const isHidden = inherit(name, 'isHidden')
      return { ...(font !== undefined && { font }), ...(isHidden !== undefined && { isHidden }) }
    },
  }
}
