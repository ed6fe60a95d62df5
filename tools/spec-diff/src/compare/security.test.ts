import { expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'
import { joinVerdicts, strictest } from '../change/verdict.js'

type Part = Readonly<Record<string, unknown>>

const createFlow = (more: Part = {}) => ({
  tokenUrl: 'https://id.example/token',
  scopes: { read: 'Reads.', write: 'Writes.' },
  ...more,
})
const createOauthScheme = (flows: Part = { clientCredentials: createFlow() }, more: Part = {}) => ({
  login: { type: 'oauth2', flows, ...more },
})

function createDocument(schemes: Part, security: readonly unknown[]) {
  const get = { operationId: 'list', security, responses: { 204: { description: 'None.' } } }
  return {
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: { '/trams': { get } },
    components: { securitySchemes: schemes },
  }
}
const needs = (...scopes: readonly string[]) => [{ login: scopes }]
const createHttpScheme = (scheme: string, more: Part = {}) => ({
  key: { type: 'http', scheme, ...more },
})
const createHeaderScheme = (name: string) => ({ key: { type: 'apiKey', in: 'header', name } })
const openId = (openIdConnectUrl: string) => ({ key: { type: 'openIdConnect', openIdConnectUrl } })
const key = [{ key: [] }]

it.each<
  readonly [
    name: string,
    before: ReturnType<typeof createDocument>,
    after: ReturnType<typeof createDocument>,
    codes: readonly string[],
    verdict: string,
  ]
>([
  [
    'a call needs one more scope',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(createOauthScheme(), needs('write', 'read')),
    ['security-narrowed'],
    'major',
  ],
  [
    'a call needs a scope less',
    createDocument(createOauthScheme(), needs('read', 'write')),
    createDocument(createOauthScheme(), needs('read')),
    ['security-widened'],
    'minor',
  ],
  [
    'scopes in another order',
    createDocument(createOauthScheme(), needs('read', 'write')),
    createDocument(createOauthScheme(), needs('write', 'read')),
    [],
    'none',
  ],
  [
    'a second set of scopes',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(createOauthScheme(), [...needs('read'), ...needs('write')]),
    ['security-widened'],
    'minor',
  ],
  [
    'tokens come from elsewhere',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(
      createOauthScheme({ clientCredentials: createFlow({ tokenUrl: 'https://id.example/v2' }) }),
      needs('read'),
    ),
    ['security-url-changed'],
    'major',
  ],
  [
    'the host in other letters',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(
      createOauthScheme({
        clientCredentials: createFlow({ tokenUrl: 'HTTPS://ID.example/token' }),
      }),
      needs('read'),
    ),
    [],
    'none',
  ],
  [
    'tokens may be refreshed',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(
      createOauthScheme({
        clientCredentials: createFlow({ refreshUrl: 'https://id.example/more' }),
      }),
      needs('read'),
    ),
    ['security-url-added'],
    'minor',
  ],
  [
    'another flow',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(createOauthScheme({ password: createFlow() }), needs('read')),
    ['security-flow-added', 'security-flow-removed'],
    'major',
  ],
  [
    'a scope is gone',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(
      createOauthScheme({ clientCredentials: createFlow({ scopes: { read: 'Reads.' } }) }),
      needs('read'),
    ),
    ['security-scope-removed'],
    'major',
  ],
  [
    'a scope in other words',
    createDocument(createOauthScheme(), needs('read')),
    createDocument(
      createOauthScheme({
        clientCredentials: createFlow({ scopes: { read: 'Reads all.', write: 'Writes.' } }),
      }),
      needs('read'),
    ),
    ['security-scheme-described'],
    'patch',
  ],
  [
    'another provider',
    createDocument(openId('https://a.example/id'), key),
    createDocument(openId('https://b.example/id'), key),
    ['security-url-changed'],
    'major',
  ],
  [
    'a scheme in other words',
    createDocument(createHttpScheme('bearer'), key),
    createDocument(createHttpScheme('bearer', { description: 'A key.' }), key),
    ['security-scheme-described'],
    'patch',
  ],
  [
    'a scheme in other letters',
    createDocument(createHttpScheme('bearer'), key),
    createDocument(createHttpScheme('Bearer'), key),
    [],
    'none',
  ],
  [
    'a header in other letters',
    createDocument(createHeaderScheme('X-Key'), key),
    createDocument(createHeaderScheme('x-key'), key),
    [],
    'none',
  ],
  [
    'another header',
    createDocument(createHeaderScheme('X-Key'), key),
    createDocument(createHeaderScheme('X-Token'), key),
    ['security-scheme-changed'],
    'major',
  ],
  [
    'another scheme that no call needs',
    createDocument({ ...createOauthScheme(), ...createHttpScheme('basic') }, needs()),
    createDocument({ ...createOauthScheme(), ...createHttpScheme('bearer') }, needs()),
    ['security-scheme-unused'],
    'none',
  ],
])('%s', async (_, before, after, codes, verdict) => {
  const changes = compareApi(await build(before), await build(after))
  expect(changes.map(({ code }) => code)).toEqual(codes)
  expect(strictest(joinVerdicts(changes.map(({ verdicts }) => verdicts)))).toBe(verdict)
})

it('a scheme with another name admits the same callers', async () => {
  const after = createDocument({ token: { type: 'http', scheme: 'BEARER' } }, [{ token: [] }])
  const changes = compareApi(
    await build(createDocument(createHttpScheme('bearer'), key)),
    await build(after),
  )
  expect(changes.map(({ code }) => code)).toEqual(['security-scheme-renamed'])
})

it('a media type in another spelling is the same', async () => {
  const withType = (mediaType: string) => {
    const content = { [mediaType]: { schema: { type: 'string' } } }
    const post = {
      operationId: 'make',
      requestBody: { content },
      responses: { 200: { description: 'Made.', content } },
    }
    return { ...createDocument({}, []), paths: { '/trams': { post } } }
  }
  const verdict = async (from: string, to: string) => {
    const changes = compareApi(await build(withType(from)), await build(withType(to)))
    return strictest(joinVerdicts(changes.map(({ verdicts }) => verdicts)))
  }
  expect(await verdict('application/json', 'application/json; charset=utf-8')).toBe('patch')
  expect(await verdict('application/json', 'Application/JSON')).toBe('patch')
  expect(await verdict('text/plain;charset="UTF-8"', 'text/plain')).toBe('patch')
  expect(await verdict('application/json; version=1', 'application/json;version=1')).toBe('patch')
  expect(await verdict('application/json; version=1', 'application/json; version=2')).toBe('major')
})
