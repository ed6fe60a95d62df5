import { symbol, type Code } from '../../emit/code.js'
import type { ValueModules } from './values.js'

/** Gives equal imports as one object, which needs no comparison. */
export function createImporter(local: (name: string) => string): (file: string) => RuntimeImport {
  const known = new Map<string, Code>()
  return (file) =>
    (name, typeOnly = false) => {
      const key = `${file} ${name} ${typeOnly}`
      const found = known.get(key) ?? symbol(name, `./${file}.js`, { typeOnly, as: local(name) })
      known.set(key, found)
      return found
    }
}

/** Imports a name of a runtime module. */
export type RuntimeImport = (name: string, typeOnly?: boolean) => Code

/** What printed code needs of the runtime, by module. */
export type RuntimeImports = Readonly<
  Record<'call' | 'parameters' | 'serialize' | 'body' | 'decode', RuntimeImport>
> & {
  readonly more: (
    file:
      | 'checked'
      | 'choice'
      | 'cookie-style'
      | 'encode-form'
      | 'encode-items'
      | 'encode-parts'
      | 'encode-range'
      | 'encode-raw'
      | 'events'
      | 'json-items'
      | 'nested'
      | 'parts'
      | 'querystring'
      | 'read-scalar'
      | 'xml-parts',
  ) => RuntimeImport
  readonly isChecked: boolean
  readonly values: ValueModules
  /** The revivers of the values of named schemas. */
  readonly revivers: Code
}
