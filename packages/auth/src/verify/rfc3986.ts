const unreserved = `A-Za-z0-9\\-._~`
const delimiters = `!$&'()*+,;=`
const percent = '%[0-9A-Fa-f]{2}'
const pchar = `(?:[${unreserved}${delimiters}:@]|${percent})`
const host = `(?:\\[[0-9A-Fa-f:.]+\\]|\\[[vV][0-9A-Fa-f]+\\.[${unreserved}${delimiters}:]+\\]|(?:[${unreserved}${delimiters}]|${percent})*)`
const authority = `(?:(?:[${unreserved}${delimiters}:]|${percent})*@)?${host}(?::[0-9]*)?`
const path = `(?://${authority}(?:/${pchar}*)*|/(?:${pchar}+(?:/${pchar}*)*)?|${pchar}+(?:/${pchar}*)*|)`
const schemeAndPath = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:${path}$`)
const queryAndFragment = new RegExp(`^(?:\\?(?:${pchar}|[/?])*)?(?:#(?:${pchar}|[/?])*)?$`)
const wholeAuthority = new RegExp(`^${authority}$`)
const pchars = new RegExp(`^${pchar}*$`)

/** RFC 3986 `URI`: with a scheme, ASCII, nothing unescaped that must be escaped. */
export function isUri(text: string): boolean {
  const start = text.search(/[?#]|$/)
  return (
    schemeAndPath.test(text.slice(0, start)) &&
    queryAndFragment.test(text.slice(start)) &&
    hasValidAddress(text)
  )
}

/** Non-empty RFC 3986 `authority`: may contain user info, an IPv6 address and a port. */
export function isAuthority(text: string): boolean {
  return text !== '' && wholeAuthority.test(text) && hasValidAddress(text)
}

/** RFC 3986 `*pchar`. */
export function isPchars(text: string): boolean {
  return pchars.test(text)
}

/** The URL parser of the platform validates IPv6 addresses. */
function hasValidAddress(text: string): boolean {
  const address = /(?:^|\/\/|@)(\[[0-9A-Fa-f:.]+\])/.exec(text)?.[1]
  return address === undefined || URL.canParse(`http://${address}/`)
}
