const hidden = '…'

/** Headers whose value is JSON in base64. */
const encoded =
  /^(?:sign-in-with-x|x-sign-in-with-x|payment-signature|payment-required|payment-response)$/
const credential = /^(?:authorization|cookie)$/

/** Members of JSON that hold a secret. */
const secretMember = /^(?:apiKey|signature|transaction|privateKey|download_url)$/

/**
 * What may be shown of headers: a credential keeps its scheme, and a signed message is decoded and
 * loses its signature.
 */
export function shownHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, shownHeader(name, value)]))
}

function shownHeader(name: string, value: string): string {
  if (credential.test(name))
    return value.includes(' ') ? `${value.slice(0, value.indexOf(' '))} ${hidden}` : hidden
  if (!encoded.test(name)) return value
  try {
    return `(base64 of) ${JSON.stringify(withoutSecrets(JSON.parse(fromBase64(value))))}`
  } catch {
    return hidden
  }
}

/** What may be shown of a body. Text that is not JSON is shown as it is. */
export function shownBody(text: string): string {
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(text)), null, 2)
  } catch {
    return text
  }
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretMember.test(name) && typeof member === 'string' ? hidden : withoutSecrets(member),
    ]),
  )
}

function fromBase64(text: string): string {
  return new TextDecoder().decode(
    Uint8Array.from(atob(text), (character) => character.charCodeAt(0)),
  )
}
