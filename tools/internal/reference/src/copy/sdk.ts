import { toBaseUrl, readBody, type Printer } from './planned.js'

/** A module that makes the call with the SDK. */
export const sdk: Printer = (planned) => {
  const { operation, values, access } = planned
  const wallet = access === 'wallet'
  const credential = {
    wallet: `wallet: privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')`,
    key: 'apiKey: process.env.FAREBOX_API_KEY',
    none: '',
  }[access]
  const input = { ...given(values.path), ...given(values.query), ...readBody(planned) }
  const argument = Object.keys(input).length === 0 ? '' : literal(input)
  const call = operation.pays ? 'topUp(5)' : `${operation.id}(${argument})`
  return [
    ...(wallet ? [`import { privateKeySigner } from '@farebox/auth/keys'`] : []),
    `import { createFarebox } from 'farebox'`,
    '',
    `const farebox = createFarebox({ baseUrl: ${text(toBaseUrl(planned))}${credential === '' ? '' : `, ${credential}`} })`,
    `const result = await farebox.${call}`,
    'console.log(result)',
  ].join('\n')
}

function given(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** A value as an expression of JavaScript. A file becomes the path to read it from. */
export function literal(value: unknown): string {
  if (value instanceof File) return `{ path: ${text(value.name)} }`
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)}: ${literal(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

export function text(value: string): string {
  return `'${JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`
}
