import { show } from '../diagnostics.js'
import { own, pointerTo } from '../document/json.js'
import type { JsonObject } from '../document/json.js'
import type { Method, Response, ResponseHeader } from './api.js'
import { buildContents, readDescription } from './build-content.js'
import {
  dereference,
  readEntries,
  oncePerComponent,
  text,
  skipExtensions,
} from './build-context.js'
import type { Context, Found } from './build-context.js'
import { readBoolean } from './build-keywords.js'
import { readParameterValue } from './build-parameters.js'
import { omitUndefined } from './schema.js'

/** The responses of an operation: statuses in ascending order, then ranges, then `default`. */
export function buildResponses(
  context: Context,
  operation: Found<JsonObject>,
  method: Method,
): readonly Response[] {
  const { node, pointer } = operation
  const entries = skipExtensions(readEntries(context, node, 'responses', pointer))
  if (entries.length === 0 && context.document.version === '3.0')
    context.report('FB4005', pointer, 'no responses', 'at least one')
  const known = new Set<Response['status']>()
  return Object.freeze(
    entries
      .flatMap(([key, value]) => {
        const at = pointerTo(pointer, 'responses', key)
        const status = parseStatus(key)
        if (status !== undefined && known.has(status))
          context.report('FB4015', at, show(key), `${status} in one spelling`)
        if (status !== undefined) known.add(status)
        if (status === undefined)
          context.report('FB4006', at, show(key), 'a status, a range such as 4XX, or default')
        const response = dereference(context, { node: value, pointer: at })
        return status === undefined || response === undefined
          ? []
          : [buildResponse(context, method, status, response)]
      })
      .toSorted((a, b) => rank(a.status) - rank(b.status)),
  )
}

function buildResponse(
  context: Context,
  method: Method,
  status: Response['status'],
  response: Found<JsonObject>,
): Response {
  const contents = buildContents(context, response)
  const isBare = /^head$/i.test(method) || status === 204 || status === 205 || status === 304
  if (isBare && contents.length > 0)
    context.report(
      'FB4038',
      pointerTo(response.pointer, 'content'),
      contents.map(({ mediaType }) => show(mediaType)).join(', '),
      'no content',
    )
  return Object.freeze({
    status,
    description: readDescription(response) ?? '',
    headers: readHeaders(context, response),
    contents: isBare ? nothing : contents,
  })
}

const nothing: Response['contents'] = Object.freeze([])

const readHeaders = oncePerComponent((context, { node, pointer }): Response['headers'] => {
  return Object.freeze(
    readEntries(context, node, 'headers', pointer).flatMap(([name, value]) => {
      const header = dereference(context, {
        node: value,
        pointer: pointerTo(pointer, 'headers', name),
      })
      if (header === undefined || name.toLowerCase() === 'content-type') return []
      return [
        Object.freeze({
          name,
          required: readBoolean(context, header, 'required') === true,
          ...headerValue(context, header),
          ...omitUndefined({ description: text(own(header.node, 'description')) }),
        }),
      ]
    }),
  )
})

const headerValue = oncePerComponent(
  (context, header): Pick<ResponseHeader, 'schema' | 'mediaType'> =>
    readParameterValue(context, header),
)

function parseStatus(key: string): Response['status'] | undefined {
  if (/^[1-5]\d\d$/.test(key)) return Number(key)
  return ranges.find((range) => range.toUpperCase() === key.toUpperCase())
}

const ranges = ['1XX', '2XX', '3XX', '4XX', '5XX', 'default'] as const

function rank(status: Response['status']): number {
  return typeof status === 'number' ? status : 1000 + ranges.indexOf(status)
}
