import { misconfigured } from './misconfigured.js'

/**
 * A base URL as the SDK uses it, without slashes at its end. Throws a `FareboxError` with the code
 * `configuration` for any other text: no http or https URL, one with a user name, a query or a
 * fragment, and one without a path, such as `https://api.example.com` for
 * `https://api.example.com/api/v1`. No message repeats a password.
 */
export function readBaseUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw misconfigured(`The base URL is ${JSON.stringify(withoutUserInfo(value))}; expected one like http://127.0.0.1:4020/api/v1.`)
  }
  if (url.username + url.password !== '') {
    throw misconfigured('The base URL holds a user name or a password. Leave it out, and give apiKey or wallet.')
  }
  if (/[?#]/.test(value)) {
    throw misconfigured('The base URL holds a query or a fragment. Leave it out.')
  }
  if (url.pathname === '/') throw misconfigured(`The base URL has no path. Did you mean ${url.origin}/api/v1?`)
  return value.replace(/\/+$/, '')
}

/** A URL that is safe to show: the text before an @ may be a password. */
function withoutUserInfo(url: string): string {
  return url.replace(/^(\w+:\/\/)?.*@/s, '$1[hidden]@')
}
