import { signIn } from '@farebox/auth'
import { privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { retry } from '@farebox/retry'
import ky from 'ky'
import createFetchClient from 'openapi-fetch'

type Fetch = typeof globalThis.fetch
type Post = (fetch: Fetch, baseUrl: string, path: string, body: object) => Promise<Response>

/** Clients that hand a Request to the fetch they are given. Each posts JSON or a form. */
const clients = {
  'openapi-fetch': async (fetch, baseUrl, path, body) => {
    const client = createFetchClient<
      Record<string, { post: { requestBody: never; responses: never } }>
    >({ baseUrl, fetch })
    return (await client.POST(path, { body: body as never })).response
  },
  ky: async (fetch, baseUrl, path, body) =>
    ky.post(baseUrl + path, {
      fetch,
      retry: 0,
      throwHttpErrors: false,
      ...(body instanceof FormData ? { body } : { json: body }),
    }),
  // what the client that @hey-api/openapi-ts writes does: it makes a Request of all, and sends that
  'hey-api': async (fetch, baseUrl, path, body) => {
    const isForm = body instanceof FormData
    const headers = new Headers(isForm ? {} : { 'content-type': 'application/json' })
    return fetch(
      new Request(baseUrl + path, {
        redirect: 'follow',
        method: 'POST',
        headers,
        body: isForm ? body : JSON.stringify(body),
      }),
    )
  },
  'a Request, and an init with other headers': async (fetch, baseUrl, path, body) => {
    const request = new Request(baseUrl + path, {
      method: 'POST',
      body: body instanceof FormData ? body : JSON.stringify(body),
    })
    return fetch(request, {
      headers: { 'content-type': request.headers.get('content-type') ?? '', 'x-added': 'yes' },
    })
  },
} satisfies Readonly<Record<string, Post>>

export type ClientName = keyof typeof clients
export const names = Object.keys(clients) as readonly ClientName[]

/** JSON, and a form with a file of 100,000 bytes. */
export const kinds = ['json', 'form'] as const
export type Kind = (typeof kinds)[number]

/** One POST through retries and a wallet's sign-in. Gives the status of the response. */
export async function postOnce(
  name: ClientName,
  kind: Kind,
  baseUrl: string,
  path: string,
): Promise<number> {
  const middleware = signIn(privateKeySigner(`0x${'42'.repeat(32)}`), { origin: baseUrl })
  const fetch = withMiddleware(
    (input, init) => globalThis.fetch(input, init),
    retry({ backoff: () => 1 }),
    middleware,
  )
  const response = await clients[name](
    fetch,
    baseUrl,
    path,
    kind === 'json' ? { fare: 'Straße' } : createForm(),
  )
  return response.status
}

function createForm(): FormData {
  const made = new FormData()
  made.set('note', 'Straße')
  made.set(
    'file',
    new File([new Uint8Array(100_000).fill(7)], 'fares.bin', { type: 'application/x-fares' }),
  )
  return made
}
