import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../test/command.js'
import { withFiles } from '../../test/documents.js'
import { smallDocument } from '../../test/small-api.js'

type Pages = Readonly<Record<string, string>>

/** Writes the reference of a document with the command, and reads it. */
async function writeDocs(document: string | object): Promise<Pages> {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  return withFiles({ 'a.yaml': text }, async (cwd) => {
    const said = await run(cwd, ['--spec', 'a.yaml', '--out', 'out', '--only', 'docs'])
    expect(said.code).toBe(0)
    return readPages(join(cwd, 'out/docs'))
  })
}

async function readPages(folder: string): Promise<Pages> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
  return Object.fromEntries(
    await Promise.all(
      paths
        .toSorted()
        .map(async (path) => [
          path.replaceAll('\\', '/'),
          await readFile(join(folder, path), 'utf8'),
        ]),
    ),
  ) as Pages
}

const get = (operationId: string, extra: object = {}) => ({
  get: { operationId, responses: { 200: { description: 'ok' } }, ...extra },
})
const createDocument = (paths: object, extra: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Trams', version: '1' },
  paths,
  ...extra,
})

/** What the console of a page reads. */
function readConsoleData(page = ''): Readonly<Record<string, unknown>> {
  const [, json = ''] = /<script type="application\/json">(.*?)<\/script>/s.exec(page) ?? []
  return JSON.parse(json) as Readonly<Record<string, unknown>>
}

describe('the output docs', () => {
  it('is an index, and a page for each operation and each schema', async () => {
    const pages = await writeDocs(smallDocument)
    expect(Object.keys(pages)).toEqual([
      'index.html',
      'operations/addPet.html',
      'operations/getPet.html',
      'operations/sendXml.html',
      'operations/upload.html',
      'reference.css',
      'reference.js',
      'schemas/Bytes.html',
      'schemas/Form.html',
      'schemas/FormRequest.html',
      'schemas/Pet.html',
      'schemas/PetRequest.html',
    ])
    expect(pages['index.html']).toContain('<a href="operations/getPet.html">')
    expect(pages['operations/getPet.html']).toContain('<a href="../schemas/Pet.html">Pet</a>')
    expect(pages['operations/getPet.html']).toContain('<p>By its id.</p>')
  })

  it('has the same bytes in each run, and --check detects an edited or stray page', async () => {
    expect(await writeDocs(smallDocument)).toEqual(await writeDocs(smallDocument))
    await withFiles({ 'a.yaml': smallDocument }, async (cwd) => {
      const argv = ['--spec', 'a.yaml', '--out', 'out', '--only', 'docs']
      await run(cwd, argv)
      expect(await run(cwd, [...argv, '--check'])).toMatchObject({ code: 0 })
      await writeFile(join(cwd, 'out/docs/index.html'), '')
      await writeFile(join(cwd, 'out/docs/operations/old.html'), '')
      const { code, error } = await run(cwd, [...argv, '--check'])
      expect(code).toBe(1)
      expect(error).toContain('different  out/docs/index.html')
      expect(error).toContain('stray      out/docs/operations/old.html')
      await run(cwd, argv)
      expect(await readdir(join(cwd, 'out/docs/operations'))).not.toContain('old.html')
    })
  })

  it('loads nothing from another host, and allows only its own script', async () => {
    const pages = await writeDocs(smallDocument)
    for (const [path, page] of Object.entries(pages).filter(([name]) => name.endsWith('.html'))) {
      const loaded = [...page.matchAll(/ (?:src|href)="([^"]*)"/g)].map(
        ([, address = '']) => address,
      )
      expect(
        loaded.filter((address) => /^(?:\w+:)?\/\//.test(address)),
        path,
      ).toEqual([])
      expect(page, path).toContain(
        'default-src &#39;none&#39;; script-src &#39;self&#39;'.replaceAll('&#39;', "'"),
      )
    }
    expect(pages['reference.css']).not.toMatch(/url\(|@import/)
  })

  it('names pages safely for any file system and host', async () => {
    const ids = [
      'con',
      'list',
      'List',
      '../../up',
      'a/b?c#d',
      'ü',
      'x'.repeat(300),
      `${'x'.repeat(300)}y`,
    ]
    const paths = Object.fromEntries(ids.map((id, index) => [`/${index}`, get(id)]))
    const schemas = Object.fromEntries(['Tram', 'tram', '..', 'a.b'].map((name) => [name, {}]))
    const pages = await writeDocs(createDocument(paths, { components: { schemas } }))
    const files = Object.keys(pages).filter((path) => path.includes('/'))
    expect(new Set(files.map((path) => path.toLowerCase())).size).toBe(ids.length + 4)
    expect(files).toContain('operations/con-2.html')
    expect(files).toContain('schemas/tram-2.html')
    for (const path of files)
      expect(path).toMatch(/^(?:operations|schemas)\/[\p{L}\p{N}_-]{1,80}\.html$/u)
    for (const [, file = ''] of (pages['index.html'] ?? '').matchAll(/href="(operations\/[^"]*)"/g))
      expect(files).toContain(decodeURIComponent(file))
  })

  it.each([
    '</script><script>injected()</script>',
    '<img src=x onerror=injected()>',
    '" onmouseover="injected()',
    "' onmouseover='injected()",
    '[x](javascript:injected)',
    '<a href="javascript:injected()">x</a>',
    '`</code><svg onload=injected()>`',
    '```\n</pre><svg onload=injected()>\n```',
    '[x](https://a.example/"onmouseover="injected())',
    '<!--<script>',
    '\u00000\u0000`<svg onload=injected()>`',
  ])('shows %j as text wherever a document contains it', async (text) => {
    const schema = {
      title: text,
      description: text,
      type: 'object',
      properties: { [text]: { type: 'string', description: text, enum: [text], default: text } },
      pattern: text,
    }
    const pages = await writeDocs({
      openapi: '3.1.0',
      info: { title: text, version: text, description: text },
      servers: [{ url: `https://a.example/${text}`, description: text }],
      paths: {
        '/a': {
          post: {
            operationId: 'a',
            summary: text,
            description: text,
            tags: [text],
            parameters: [{ name: text, in: 'query', description: text, schema, example: text }],
            requestBody: {
              content: {
                'application/json': {
                  schema,
                  examples: { [text]: { summary: text, value: text } },
                },
              },
            },
            responses: {
              200: {
                description: text,
                headers: { 'x-a': { description: text, schema: { type: 'string' } } },
                content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } },
              },
            },
          },
        },
      },
      components: {
        schemas: { A: schema },
        securitySchemes: {
          [text]: { type: 'apiKey', in: 'header', name: text, description: text },
        },
      },
    })
    for (const [path, page] of Object.entries(pages).filter(([name]) => name.endsWith('.html'))) {
      const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
      const own = ['<script defer src="./reference.js">', '<script defer src="../reference.js">']
      for (const tag of scripts) expect([...own, '<script type="application/json">']).toContain(tag)
      const tags = page
        .replaceAll(/<script type="application\/json">.*?<\/script>/gs, '')
        .replaceAll(/ (?!href)[\w-]+="[^"]*"/g, '')
      expect(tags, path).not.toMatch(/<(?:img|svg|!--)/i)
      expect(tags, path).not.toMatch(/<[^>]*\s(?:on\w+)=/i)
      expect(tags, path).not.toMatch(/<a [^>]*href="\s*javascript:/i)
    }
  })

  it('gives the console the servers and the credentials of the operation', async () => {
    const security = [{ key: [], user: [] }, { token: [] }, {}]
    const pages = await writeDocs(
      createDocument(
        {
          '/a': get('a', { security }),
          '/b': get('b', { servers: [{ url: 'https://up.example' }] }),
        },
        {
          servers: [
            { url: 'https://{region}.example/v1', variables: { region: { default: 'eu' } } },
            { url: '/v1' },
            { url: 'ftp://files.example' },
          ],
          components: {
            securitySchemes: {
              key: { type: 'apiKey', in: 'query', name: 'api_key' },
              user: { type: 'http', scheme: 'basic' },
              token: { type: 'oauth2', flows: {} },
            },
          },
        },
      ),
    )
    expect(readConsoleData(pages['operations/a.html'])['access']).toEqual({
      servers: ['https://eu.example/v1', '/v1'],
      alternatives: [
        [
          { name: 'key', carrier: 'query', parameter: 'api_key' },
          { name: 'user', carrier: 'basic', parameter: 'Authorization' },
        ],
        [{ name: 'token', carrier: 'bearer', parameter: 'Authorization' }],
        [],
      ],
    })
    expect(readConsoleData(pages['operations/b.html'])['access']).toMatchObject({
      servers: ['https://up.example'],
    })
  })

  it('has inputs for JSON and forms, and text or a file for another body', async () => {
    const tram = { type: 'object', properties: { line: { type: 'integer' } } }
    const post = (mediaType: string) => ({
      post: {
        operationId: mediaType.replace(/\W/g, ''),
        requestBody: { content: { [mediaType]: { schema: tram } } },
        responses: { 200: { description: 'ok' } },
      },
    })
    const pages = await writeDocs(
      createDocument({
        '/a': post('application/json'),
        '/b': post('application/xml'),
        '/c': post('image/png'),
      }),
    )
    const body = (name: string) => readConsoleData(pages[`operations/${name}.html`])['body']
    expect(body('applicationjson')).toMatchObject({ schema: tram })
    expect(body('applicationxml')).toMatchObject({
      schema: { type: 'string', contentMediaType: 'application/xml' },
    })
    expect(body('imagepng')).toMatchObject({ schema: { format: 'binary' } })
  })

  it('mentions payments only if the document has them', async () => {
    const pages = await writeDocs(
      createDocument({
        '/a': get('a', {
          'x-payment-info': {
            price: { mode: 'fixed', currency: 'USD', amount: '0.05' },
            protocols: ['x402'],
          },
        }),
        '/b': get('b'),
      }),
    )
    expect(pages['operations/a.html']).toContain('<dt>Price</dt><dd>0.05 USD</dd>')
    expect(pages['operations/b.html']).not.toMatch(/price|wallet|ledger|x402/i)
    expect(pages['reference.js']).not.toMatch(/top.?up 5|throw-away|a wallet/i)
  })

  it('reads Swagger 2.0, and schemas that contain themselves', async () => {
    const pages = await writeDocs({
      swagger: '2.0',
      info: { title: 'Trams', version: '1' },
      host: 'trams.example',
      basePath: '/v2',
      schemes: ['https'],
      paths: {
        '/trams': {
          post: {
            operationId: 'addTram',
            parameters: [{ in: 'body', name: 'tram', schema: { $ref: '#/definitions/Tram' } }],
            responses: { 200: { description: 'ok', schema: { $ref: '#/definitions/Tram' } } },
          },
        },
      },
      definitions: {
        Tram: {
          type: 'object',
          properties: { line: { type: 'integer' }, next: { $ref: '#/definitions/Tram' } },
        },
      },
    })
    const data = readConsoleData(pages['operations/addTram.html'])
    expect(data['access']).toMatchObject({ servers: ['https://trams.example/v2'] })
    expect(data['body']).toMatchObject({
      schema: { properties: { line: { type: 'integer' }, next: {} } },
    })
    expect(pages['schemas/Tram.html']).toContain('<a href="Tram.html">Tram</a>')
  })

  it('describes prefix items, impossible values and string encodings', async () => {
    const text = { type: 'string' }
    const pair = { type: 'array', prefixItems: [text, { type: 'integer' }] }
    const pages = await writeDocs({
      openapi: '3.1.0',
      info: { title: 'Lists', version: '1' },
      paths: {},
      components: {
        schemas: {
          A: {
            type: 'object',
            properties: {
              open: pair,
              closed: { ...pair, items: false },
              more: { ...pair, items: text },
              empty: { type: 'array', items: false },
              never: false,
              image: { ...text, contentEncoding: 'base64', contentMediaType: 'image/png' },
            },
          },
        },
      },
    })
    const types = [...(pages['schemas/A.html'] ?? '').matchAll(/class="(?:type|note)">([^<]*)</g)]
    expect(types.map(([, words]) => words)).toEqual([
      'object',
      'list of string, integer, then anything',
      'list of string, integer',
      'list of string, integer, then string',
      'list of nothing',
      'nothing',
      'string',
      'base64',
      'image/png',
    ])
  })

  it('shows each limit of a value, and what is in an array, a map and fields by their pattern', async () => {
    const text = { type: 'string' }
    const object = (name: string) => ({ type: 'object', properties: { [name]: text } })
    const pages = await writeDocs(
      createDocument(
        {},
        {
          components: {
            schemas: {
              A: {
                type: 'object',
                properties: {
                  nullable: { ...object('a'), type: ['object', 'null'] },
                  texts: { type: ['array', 'null'], items: { ...text, maxLength: 4 } },
                  even: { type: 'integer', exclusiveMaximum: 8, multipleOf: 2 },
                  legacy: { type: 'integer', minimum: 0, exclusiveMinimum: true },
                  set: { type: 'array', uniqueItems: true, items: { enum: ['red', 'blue'] } },
                  some: { type: 'array', contains: { const: 3 }, minContains: 2, maxContains: 4 },
                  map: { type: 'object', additionalProperties: object('price') },
                  grid: { type: 'array', items: { type: 'array', items: object('cell') } },
                  short: { allOf: [text, { maxLength: 4 }] },
                  names: {
                    type: 'object',
                    propertyNames: { pattern: '^[a-z]+$' },
                    maxProperties: 9,
                  },
                  open: { patternProperties: { '^x-': object('inside') }, type: 'object' },
                  closed: { ...object('b'), additionalProperties: false },
                  pair: { type: 'object', dependentRequired: { from: ['to'] } },
                  other: { not: text },
                },
                additionalProperties: object('rest'),
              },
            },
          },
        },
      ),
    )
    const [, ...items] = (pages['schemas/A.html'] ?? '').split('<p class="field">')
    const fields = items.map((item) => {
      const [field = ''] = item.replace(/<summary>.*$/s, '').split('</li>')
      return field
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll('&quot;', '"')
        .replaceAll(/\s+/g, ' ')
        .trim()
    })
    expect(fields).toEqual([
      'nullable object or null',
      'nullable. a string',
      'texts list of string or null each at most 4 characters',
      'even integer below 8 multiple of 2',
      'legacy integer above 0',
      'set list of one of no duplicates "red" "blue"',
      'some list of anything contains 2 to 4: 3',
      'map map of object',
      'map.*. price string',
      'grid list of list of object',
      'grid[][]. cell string',
      'short string at most 4 characters',
      'names object at most 9 fields names: ^[a-z]+$',
      'open object names like ^x-: object Fields like ^x- :',
      'open. inside string',
      'closed object no other fields',
      'closed. b string',
      'pair object from needs to',
      'other anything not string',
      'rest string',
    ])
  })
})
