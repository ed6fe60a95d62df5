import { measureSize } from '../bundled.js'
import { showTable } from '../show-table.js'
import type { Limit, Setup } from './setup.js'

const middleware = `import { bearer } from '@farebox/auth'
import { compose, fetchSend } from '@farebox/middleware'
import { rateLimit, retry } from '@farebox/retry'
`
const oneOperation = `${middleware}import { quoteVideo } from '@farebox/client/operations'
const send = compose(fetchSend(fetch), [retry(), rateLimit(), bearer('KEY')])
export const call = () => quoteVideo({ baseUrl: '/api/v1', send }, { model: 'local-test-clip', duration: '5s' })
`
const itsValidators = `import { quoteVideo as validators } from '@farebox/zod/core/operations'
export const body = validators.body['application/json'].safeParse
export const answer = (status) => validators.responses[status]['application/json'].safeParse
`
const everyOperation = `${middleware}import { createClient } from '@farebox/client'
export const client = createClient({ baseUrl: '/api/v1', middleware: [retry(), rateLimit(), bearer('KEY')] })
`
const sdk = `import { createFarebox } from 'farebox'
export const farebox = createFarebox({ apiKey: 'KEY' })
`
const openapiFetch = `import createClient from 'openapi-fetch'
const client = createClient({ baseUrl: '/api/v1' })
client.use({ onRequest: ({ request }) => { request.headers.set('authorization', 'Bearer KEY') } })
export const call = () => client.POST('/video/quote', { body: { model: 'local-test-clip', duration: '5s' } })
`
const openaiFrom = (entry: string): string => `import OpenAI from ${JSON.stringify(entry)}
export const call = () => new OpenAI({ apiKey: 'KEY' }).post('/video/quote', { body: { model: 'local-test-clip', duration: '5s' } })
`

/** Minified and compressed: one operation, and all that the package has. */
export async function bundleSizes({ place, openai, save }: Setup): Promise<readonly Limit[]> {
  const size = (source: string) => measureSize(source, place, { platform: 'browser' })
  const one = await size(oneOperation)
  const validated = await size(oneOperation + itsValidators)
  console.log(
    'Bytes of a bundle. Target: one POST with bearer, retry and rateLimit at most 7,168; with its validators at most 13,170.',
  )
  const table = {
    'Farebox: one POST, bearer, retry, rateLimit': one,
    'Farebox: the same, and its validators': validated,
    'Farebox: every operation': await size(everyOperation),
    'Farebox: the SDK': await size(sdk),
    'openapi-fetch, bearer alone': await size(openapiFetch),
    openai: await size(openaiFrom(openai)),
  }
  showTable(table, save && 'client-sizes')
  return [
    { what: 'one POST', found: one.compressed, most: 7_168 },
    { what: 'one POST with its validators', found: validated.compressed, most: 13_170 },
  ]
}
