import fc from 'fast-check'
import { expect, it } from 'vitest'
import { authorizeCalls, inHeader } from './authorize.js'
import type { Call } from './call.js'
import { remember, hideSecrets, type Secrets } from './secrets.js'

const names = ['a', 'b', 'c', 'd']
const schemes = Object.fromEntries(names.map((name) => [name, inHeader(`x-${name}`)]))
const subset = fc.subarray(names)

/** What is sent: the names of the credentials; undefined if the call is rejected. */
async function listSentCredentials(
  security: readonly (readonly string[])[],
  given: readonly string[],
): Promise<readonly string[] | undefined> {
  const operation = {
    id: 'o',
    method: 'GET',
    path: '/',
    security,
    idempotent: true,
    parameters: [],
    responses: {},
  }
  const call: Call = { url: 'https://a/', method: 'GET', headers: new Headers(), operation }
  let headers: readonly string[] | undefined
  const send = authorizeCalls(
    async (signed) => {
      headers = names.filter((name) => signed.headers.get(`x-${name}`) === name)
      return Promise.resolve(new Response())
    },
    schemes,
    Object.fromEntries(given.map((name) => [name, name])),
    new Set(),
  )
  await send(call).catch((error: unknown) =>
    expect(error).toMatchObject({ name: 'MissingCredentialsError', schemes: security }),
  )
  return headers
}

it('uses the first complete set of credentials, an empty set last, and sends nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(subset, { minLength: 1, maxLength: 4 }),
      subset,
      async (security, given) => {
        const first = security.find(
          (set) => set.length > 0 && set.every((name) => given.includes(name)),
        )
        const expected = first ?? (security.some((set) => set.length === 0) ? [] : undefined)
        expect(await listSentCredentials(security, given)).toEqual(expected)
      },
    ),
  )
})

it('evicts the oldest of many tokens, and redacts the latest', () => {
  const secrets: Secrets = new Set()
  for (let count = 0; count < 10_000; count++)
    remember(secrets, [`a token with the number ${count}`])
  expect(secrets.size).toBeLessThan(1_000)
  expect(hideSecrets('It was "a token with the number 9999".', secrets)).toBe('It was "[hidden]".')
})

it('redacts a short credential as a whole word, and the longer of two first', () => {
  const secrets: Secrets = new Set()
  remember(secrets, ['cat', 'cat-and-dog', '$&'])
  expect(hideSecrets('A cat in a category: cat-and-dog, $&.', secrets)).toBe(
    'A [hidden] in a category: [hidden], [hidden].',
  )
})
