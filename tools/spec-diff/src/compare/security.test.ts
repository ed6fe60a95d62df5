import { expect, it } from 'vitest'
import { build } from '../../../codegen/test/documents.js'
import { compareApi } from './contracts.js'
import { joinVerdicts, strictest } from '../change/verdict.js'

type Part = Readonly<Record<string, unknown>>

const flow = (more: Part = {}) => ({
  tokenUrl: 'https://id.example/token',
  scopes: { read: 'Reads.', write: 'Writes.' },
  ...more,
})
const oauth = (flows: Part = { clientCredentials: flow() }, more: Part = {}) => ({
  login: { type: 'oauth2', flows, ...more },
})

function document(schemes: Part, security: readonly unknown[]) {
  const get = { operationId: 'list', security, responses: { 204: { description: 'None.' } } }
  return {
    openapi: '3.1.0',
    info: { title: 'Trams', version: '1' },
    paths: { '/trams': { get } },
    components: { securitySchemes: schemes },
  }
}
const needs = (...scopes: readonly string[]) => [{ login: scopes }]
const http = (scheme: string, more: Part = {}) => ({ key: { type: 'http', scheme, ...more } })
const header = (name: string) => ({ key: { type: 'apiKey', in: 'header', name } })
const openId = (openIdConnectUrl: string) => ({ key: { type: 'openIdConnect', openIdConnectUrl } })
const key = [{ key: [] }]

it.each<
  readonly [
    name: string,
    before: ReturnType<typeof document>,
    after: ReturnType<typeof document>,
    codes: readonly string[],
    verdict: string,
  ]
>([
  [
    'a call needs one more scope',
    document(oauth(), needs('read')),
    document(oauth(), needs('write', 'read')),
    ['security-narrowed'],
    'major',
  ],
  [
    'a call needs a scope less',
    document(oauth(), needs('read', 'write')),
    document(oauth(), needs('read')),
    ['security-widened'],
    'minor',
  ],
  [
    'scopes in another order',
    document(oauth(), needs('read', 'write')),
    document(oauth(), needs('write', 'read')),
    [],
    'none',
  ],
  [
    'a second set of scopes',
    document(oauth(), needs('read')),
    document(oauth(), [...needs('read'), ...needs('write')]),
    ['security-widened'],
    'minor',
  ],
  [
    'tokens come from elsewhere',
    document(oauth(), needs('read')),
    document(
      oauth({ clientCredentials: flow({ tokenUrl: 'https://id.example/v2' }) }),
      needs('read'),
    ),
    ['security-url-changed'],
    'major',
  ],
  [
    'the host in other letters',
    document(oauth(), needs('read')),
    document(
      oauth({ clientCredentials: flow({ tokenUrl: 'HTTPS://ID.example/token' }) }),
      needs('read'),
    ),
    [],
    'none',
  ],
  [
    'tokens may be refreshed',
    document(oauth(), needs('read')),
    document(
      oauth({ clientCredentials: flow({ refreshUrl: 'https://id.example/more' }) }),
      needs('read'),
    ),
    ['security-url-added'],
    'minor',
  ],
  [
    'another flow',
    document(oauth(), needs('read')),
    document(oauth({ password: flow() }), needs('read')),
    ['security-flow-added', 'security-flow-removed'],
    'major',
  ],
  [
    'a scope is gone',
    document(oauth(), needs('read')),
    document(oauth({ clientCredentials: flow({ scopes: { read: 'Reads.' } }) }), needs('read')),
    ['security-scope-removed'],
    'major',
  ],
  [
    'a scope in other words',
    document(oauth(), needs('read')),
    document(
      oauth({ clientCredentials: flow({ scopes: { read: 'Reads all.', write: 'Writes.' } }) }),
      needs('read'),
    ),
    ['security-scheme-described'],
    'patch',
  ],
  [
    'another provider',
    document(openId('https://a.example/id'), key),
    document(openId('https://b.example/id'), key),
    ['security-url-changed'],
    'major',
  ],
  [
    'a scheme in other words',
    document(http('bearer'), key),
    document(http('bearer', { description: 'A key.' }), key),
    ['security-scheme-described'],
    'patch',
  ],
  [
    'a scheme in other letters',
    document(http('bearer'), key),
    document(http('Bearer'), key),
    [],
    'none',
  ],
  [
    'a header in other letters',
    document(header('X-Key'), key),
    document(header('x-key'), key),
    [],
    'none',
  ],
  [
    'another header',
    document(header('X-Key'), key),
    document(header('X-Token'), key),
    ['security-scheme-changed'],
    'major',
  ],
  [
    'another scheme that no call needs',
    document({ ...oauth(), ...http('basic') }, needs()),
    document({ ...oauth(), ...http('bearer') }, needs()),
    ['security-scheme-unused'],
    'none',
  ],
])('%s', async (_, before, after, codes, verdict) => {
  const changes = compareApi(await build(before), await build(after))
  expect(changes.map(({ code }) => code)).toEqual(codes)
  expect(strictest(joinVerdicts(changes.map(({ verdicts }) => verdicts)))).toBe(verdict)
})

it('a scheme with another name admits the same callers', async () => {
  const after = document({ token: { type: 'http', scheme: 'BEARER' } }, [{ token: [] }])
  const changes = compareApi(await build(document(http('bearer'), key)), await build(after))
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
    return { ...document({}, []), paths: { '/trams': { post } } }
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
