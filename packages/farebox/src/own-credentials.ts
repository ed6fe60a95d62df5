/** The headers that carry our credentials. */
const carriers = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'sign-in-with-x',
  'x-sign-in-with-x',
  'payment-signature',
  'x-payment',
  'x-402-payment',
]

/** The credentials in request headers: the values, and signatures inside of base64 JSON. */
export function credentialsIn(headers: Headers): readonly string[] {
  return carriers.flatMap((name) => {
    // the scheme, as in "Bearer KEY", is not secret
    const value = (headers.get(name) ?? '').replace(/^(?:Bearer|Basic) /i, '')
    return value === '' ? [] : [value, ...signaturesIn(value)]
  })
}

/** Only signatures and signed transactions have 64 or more characters. */
function signaturesIn(value: string): readonly string[] {
  try {
    return atob(value).match(/[\w+/=-]{64,}/g) ?? []
  } catch {
    return []
  }
}
