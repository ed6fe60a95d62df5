import { describe, expect, it } from 'vitest'
import { load } from '../../test/documents.js'
import type { LoadOptions } from './load.js'

const spec =
  'openapi: 3.1.0\ninfo: { title: Test, version: "1" }\ncomponents: { schemas: { A: { $ref: REF } } }\n'

type SentRequest = readonly [url: string, authorization: string | undefined]

/** Answers by URL: a string, a status, or a redirect. */
function createSite(pages: Readonly<Record<string, string | number>>): {
  readonly sent: SentRequest[]
  readonly fetch: typeof globalThis.fetch
} {
  const sent: SentRequest[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    sent.push([url, new Headers(init?.headers).get('authorization') ?? undefined])
    expect([init?.redirect, init?.signal instanceof AbortSignal]).toEqual(['manual', true])
    const page = pages[url] ?? 404
    if (typeof page === 'number') return new Response(null, { status: page })
    return page.startsWith('http') || page.startsWith('file')
      ? new Response(null, { status: 302, headers: { location: page } })
      : new Response(page)
  }
  return { sent, fetch }
}

const read = async (entry: string, options: LoadOptions) => {
  const { document, diagnostics } = await load({}, options, entry)
  return {
    source: document?.source,
    faults: diagnostics.map(({ code, place, found }) => `${code} ${place.file} ${found}`),
  }
}

describe('a document from a URL', () => {
  const headers = { authorization: 'Bearer secret' }

  it('is read with its references, and the header is sent only to its origin', async () => {
    const pages = {
      'https://a.example/api/o.yaml?key=1': spec.replace('REF', 'b.yaml'),
      'https://a.example/api/b.yaml': '{ $ref: "https://b.example/c.yaml" }',
      'https://b.example/c.yaml': '{ type: string }',
    }
    const { fetch, sent } = createSite(pages)
    expect(
      await read('https://a.example/api/o.yaml?key=1', { fetch, headers, allowRefs: true }),
    ).toEqual({
      source: 'https://a.example/api/o.yaml',
      faults: [],
    })
    expect(sent).toEqual([
      ['https://a.example/api/o.yaml?key=1', 'Bearer secret'],
      ['https://a.example/api/b.yaml', 'Bearer secret'],
      ['https://b.example/c.yaml', undefined],
    ])
  })

  it.each([
    'https://b.example/c.yaml',
    '/c.yaml',
    '../c.yaml',
    '/etc/passwd',
    'https://a.example/api/../c.yaml',
    '..%2Fc.yaml',
  ])('does not follow a reference to %s', async (ref) => {
    const { fetch, sent } = createSite({ 'https://a.example/api/o.yaml': spec.replace('REF', ref) })
    expect((await read('https://a.example/api/o.yaml', { fetch })).faults).toEqual([
      `FB2003 https://a.example/api/o.yaml "${ref}"`,
    ])
    expect(sent).toHaveLength(1)
  })

  it.each<
    readonly [
      string,
      Readonly<Record<string, string | number>>,
      Readonly<Record<string, string>>,
      string | undefined,
    ]
  >([
    [
      'follows a redirect within the origin',
      {
        'https://a.example/o': 'https://a.example/p',
        'https://a.example/p': spec.replace('REF', '"#/info"'),
      },
      headers,
      undefined,
    ],
    [
      'follows a redirect anywhere without a header',
      {
        'https://a.example/o': 'https://b.example/p',
        'https://b.example/p': spec.replace('REF', '"#/info"'),
      },
      {},
      undefined,
    ],
    [
      'sends no header elsewhere',
      { 'https://a.example/o': 'https://b.example/p' },
      headers,
      'a redirect to another origin, which must not have the header',
    ],
    [
      'follows no redirect to a file',
      { 'https://a.example/o': 'file:///etc/passwd' },
      {},
      'a redirect to file:',
    ],
    [
      'ends in a circle',
      { 'https://a.example/o': 'https://a.example/o' },
      {},
      'more than 5 redirects',
    ],
    ['names the status', { 'https://a.example/o': 403 }, {}, 'status 403'],
  ])('%s', async (_, pages, headers, fault) => {
    const { fetch } = createSite(pages)
    const { faults } = await read('https://a.example/o', { fetch, headers: headers })
    expect(faults).toEqual(fault === undefined ? [] : [`FB1001 https://a.example/o ${fault}`])
  })

  it('is read from the exact URL of a reference, with the escapes of a signature', async () => {
    const pages = {
      'https://a.example/a%2Bi/o.yaml': spec.replace('REF', "'b%23.yaml?sig=a%2Bb%26c%3D#/x%20y'"),
      'https://a.example/a%2Bi/b%23.yaml?sig=a%2Bb%26c%3D': '{ x y: { type: string } }',
    }
    const { fetch, sent } = createSite(pages)
    expect((await read('https://a.example/a%2Bi/o.yaml', { fetch })).faults).toEqual([])
    expect(sent.map(([url]) => url)).toEqual(Object.keys(pages))
  })

  it('resolves references against the URL after redirects, as do its parts', async () => {
    const pages = {
      'https://a.example/latest': 'https://b.example/api/v2/o.yaml',
      'https://b.example/api/v2/o.yaml': spec.replace('REF', 'parts/b.yaml'),
      'https://b.example/api/v2/parts/b.yaml': 'https://b.example/api/v2/c/d.yaml',
      'https://b.example/api/v2/c/d.yaml':
        '{ items: { $ref: e.yaml }, not: { $ref: ../../v1.yaml } }',
      'https://b.example/api/v2/c/e.yaml': '{ type: string }',
    }
    const { fetch, sent } = createSite(pages)
    const { source, faults } = await read('https://a.example/latest', { fetch })
    expect(source).toBe('https://a.example/latest')
    expect(sent.map(([url]) => url)).toEqual(Object.keys(pages))
    expect(faults).toEqual(['FB2003 https://b.example/api/v2/parts/b.yaml "../../v1.yaml"'])
  })

  it('is reported if there is no response', async () => {
    const fetch = async (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
    expect((await read('https://a.example/o', { fetch })).faults).toEqual([
      'FB1001 https://a.example/o no response',
    ])
  })
})

describe('a document from standard input', () => {
  const chunks = (...texts: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> =>
    new Blob(texts as BlobPart[]).stream()

  it('is read to the end', async () => {
    expect(
      await read('-', {
        stdin: chunks(
          '{ "openapi": "3.1.0", ',
          '"info": { "title": "é", "version": "1" }, "paths": {} }',
        ),
      }),
    ).toEqual({ source: 'stdin', faults: [] })
  })

  it('has a limit', async () => {
    async function* endless() {
      for (;;) yield await Promise.resolve(new Uint8Array(1024 * 1024))
    }
    expect((await read('-', { stdin: endless() })).faults).toEqual(['FB1001 stdin more than 64 MB'])
  })
})
