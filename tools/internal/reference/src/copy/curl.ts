import { buildRequest } from '../call/request.js'
import { written } from '../contract/written.js'
import { readBody, type Printer } from './planned.js'

const credentials = {
  key: '"Authorization: Bearer $FAREBOX_API_KEY"',
  wallet: '"SIGN-IN-WITH-X: $SIGN_IN_WITH_X"',
  none: undefined,
} as const

/** A curl command. The wallet's header is made by `farebox siwx` or `createSiwxHeader`. */
export const curl: Printer = (planned) => {
  const { operation, values, origin, access } = planned
  const { url, method } = buildRequest(operation, values, origin)
  const credential = operation.pays ? undefined : credentials[access]
  const parts = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(credential === undefined ? [] : [`-H ${credential}`]),
    ...(operation.body === undefined
      ? []
      : operation.body.mediaType === 'multipart/form-data'
        ? Object.entries(readBody(planned)).map(
            ([name, value]) =>
              `-F ${quoted(`${name}=${value instanceof File ? `@${value.name}` : written(value)}`)}`,
          )
        : [
            `-H 'Content-Type: application/json'`,
            `-d ${quoted(JSON.stringify(readBody(planned)))}`,
          ]),
  ]
  return parts.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
