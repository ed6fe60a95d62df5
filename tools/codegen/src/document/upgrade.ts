import { show } from '../diagnostics.js'
import type { Report } from '../diagnostics.js'
import { isObject, own } from './json.js'
import type { Json } from './json.js'
import { pointerInSwagger } from './swagger-pointer.js'
import type { Source } from './source.js'

/**
 * The entry file as OpenAPI 3.0 where it is a Swagger 2.0 document; places stay those of the file.
 * Nothing, after a report, where it cannot be converted.
 */
export async function upgraded(source: Source, report: Report): Promise<Source | undefined> {
  const version = own(source.data, 'swagger')
  if (!isObject(source.data) || !/^"?2(\.|"|$)/.test(show(version))) return source
  // other documents do without the library, which takes a tenth of a second to load
  const { convertObj } = (await import('swagger2openapi')).default
  const place = source.place('/swagger')
  try {
    // the library changes its argument
    const given = JSON.parse(JSON.stringify({ ...source.data, swagger: '2.0' })) as Parameters<typeof convertObj>[0]
    const { openapi } = await silently(() => convertObj(given, { patch: true, warnOnly: true, anchors: true }))
    // the library leaves fields that are undefined
    const data = JSON.parse(JSON.stringify(openapi)) as Json
    return { ...source, data, place: (pointer) => source.place(pointerInSwagger(pointer, data, source.data)) }
  } catch (error) {
    report('FB1005', place, error instanceof Error ? show(error.message) : 'an unknown fault', 'a document that swagger2openapi converts')
    return undefined
  }
}

/** The library prints the stack of an error that it also throws. */
async function silently<T>(work: () => Promise<T>): Promise<T> {
  const { warn } = console
  Object.assign(console, { warn: () => undefined })
  try {
    return await work()
  } finally {
    Object.assign(console, { warn })
  }
}
