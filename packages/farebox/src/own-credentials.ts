/** The headers that carry a credential of ours. */
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

/** The credentials in the headers of a request: the values, and the signatures in those that are JSON in base64. */
export function credentialsIn(headers: Headers): readonly string[] {
  return carriers.flatMap((name) => {
    // the scheme, as in "Bearer KEY", is no secret
    const value = (headers.get(name) ?? '').replace(/^(?:Bearer|Basic) /i, '')
    return value === '' ? [] : [value, ...signaturesIn(value)]
  })
}

/** Signatures and signed transactions are the only words of 64 characters and more in them. */
function signaturesIn(value: string): readonly string[] {
  try {
    return atob(value).match(/[\w+/=-]{64,}/g) ?? []
  } catch {
    return []
  }
}
