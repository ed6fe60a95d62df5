import { code, join, namespace, symbol, type Code } from '../../emit/code.js'
import { literal } from '../../emit/literal.js'
import { camelCase } from '../../ir/names.js'

/** The formats of strings that arbitraries know. Any other is an annotation. */
export const knownFormats: readonly string[] =
  'date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 uuid uri url iri uri-reference iri-reference uri-template json-pointer relative-json-pointer byte regex'.split(
    ' ',
  )

/** The rules of the formats that the printed nodes name, under their names. */
export function formatTable(nodes: readonly Code[]): Code {
  const text = nodes.map((node) => node.text).join('\n')
  const formats = namespace('formats', './formats.js')
  const used = knownFormats.filter((name) => text.includes(`format: ${literal(name).text}`))
  const entries = used.map((name) => code`  [${literal(name)}, ${formats}.${camelCase(name)}],`)
  const type = symbol('Format', './formats.js', { typeOnly: true })
  return code`const known: ReadonlyMap<string | undefined, ${type}> = new Map([${entries.length === 0 ? '' : '\n'}${join(entries, '\n')}${entries.length === 0 ? '' : '\n'}])`
}
