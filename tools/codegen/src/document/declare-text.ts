/** A type as text. A union or an intersection takes brackets where it stands within another type. */
export type Printed = { readonly text: string; readonly form: 'union' | 'intersection' | 'other' }

export function plain(text: string): Printed {
  return { text, form: 'other' }
}

export const unknown = plain('unknown')
export const never = plain('never')
const words = new Set(['string', 'number', 'boolean', 'null', 'never'])

export function isWord({ text }: Printed): boolean {
  return words.has(text)
}

export function union(types: readonly Printed[]): Printed {
  return combined(types, ' | ', 'union')
}

export function intersection(types: readonly Printed[]): Printed {
  return combined(types, ' & ', 'intersection')
}

/** The text of a type where brackets are needed around two or more. */
export function bracketed({ text, form }: Printed): string {
  return form === 'other' ? text : `(${text})`
}

/** An object type of members, each printed for `pad` by `member`. */
export function block(members: readonly string[], pad: string): string {
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${pad}}`
}

/** A name before a colon: bare where it may be. */
export function key(name: string): string {
  return /^(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,14})$/.test(name) ? name : quoted(name)
}

export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function combined(types: readonly Printed[], sign: string, form: 'union' | 'intersection'): Printed {
  const [first, ...more] = types
  if (first === undefined) return never
  if (more.length === 0) return first
  const seen = new Set<string>()
  const texts: string[] = []
  for (const type of types) {
    if (isWord(type)) {
      if (seen.has(type.text)) continue
      seen.add(type.text)
    }
    texts.push(bracketed(type))
  }
  return { text: texts.join(sign), form: texts.length === 1 ? 'other' : form }
}
