import { expect, it } from 'vitest'
import type { Files } from '../files.js'
import { isObject, type Json, type JsonObject } from '../json.js'
import { bundle } from './bundle.js'
import { isJoined } from './is-joined.js'

/** A document of one file, which no text of its own stands behind. */
function createFiles(data: Json): Files {
  const place = (pointer: string) => ({ file: 'api.json', pointer, line: 1, column: 1 })
  const references = new Set<string>()
  const entry = { location: '/api.json', name: 'api.json', data, references, place }
  return { entry, sources: [entry], follow: () => ({ source: entry }), read: [], inputs: [] }
}

const ok = { responses: { 200: { description: 'ok' } } }
const targets = {
  schemas: { type: 'string' },
  responses: { description: 'ok' },
  parameters: { name: 'a', in: 'query', schema: {} },
  examples: { value: 1 },
  requestBodies: { content: {} },
  headers: { schema: {} },
  securitySchemes: { type: 'http', scheme: 'bearer' },
  links: { operationId: 'x' },
  callbacks: { x: { post: ok } },
  pathItems: { get: ok },
  mediaTypes: { schema: { type: 'string' } },
} satisfies Readonly<Record<string, Json>>

type Section = keyof typeof targets

/** A document that refers once to a component of the section. */
function createDocument(section: Section): JsonObject {
  const ref = { $ref: `#/components/${section}/Target` }
  const places: Readonly<Record<Section, JsonObject>> = {
    schemas: { parameters: [{ name: 'b', in: 'query', schema: ref }] },
    responses: { responses: { 200: ref } },
    parameters: { parameters: [ref] },
    examples: { parameters: [{ name: 'b', in: 'query', schema: {}, examples: { one: ref } }] },
    requestBodies: { requestBody: ref },
    headers: { responses: { 200: { description: 'ok', headers: { a: ref } } } },
    securitySchemes: {},
    links: { responses: { 200: { description: 'ok', links: { a: ref } } } },
    callbacks: { callbacks: { a: ref } },
    pathItems: {},
    mediaTypes: { responses: { 200: { description: 'ok', content: { 'a/b': ref } } } },
  }
  return {
    openapi: '3.2.0',
    paths: {
      '/a': { get: { ...ok, ...places[section] } },
      ...(section === 'pathItems' && { '/b': ref }),
    },
    components: {
      [section]: {
        Target: targets[section],
        ...(section === 'securitySchemes' && { Alias: ref }),
      },
    },
  }
}

/** The same document with a reference that has to be replaced, so that everything is copied. */
function bundleByCopy(document: JsonObject): Json {
  const { paths, components } = document
  if (!isObject(paths) || !isObject(components)) throw new Error('The document has no paths.')
  const items = isObject(components['pathItems']) ? components['pathItems'] : {}
  const forced = {
    ...document,
    paths: { ...paths, '/forced': { $ref: '#/components/pathItems/Forced' } },
    components: { ...components, pathItems: { ...items, Forced: { get: ok } } },
  }
  expect(isJoined(forced)).toBe(false)
  const { root } = bundle(createFiles(forced), () => undefined)
  const { '/forced': _, ...otherPaths } = root['paths'] as JsonObject
  const { pathItems = {}, ...others } = root['components'] as JsonObject
  const { Forced: __, ...otherItems } = pathItems as JsonObject
  return {
    ...root,
    paths: otherPaths,
    components: { ...others, ...(section(document) && { pathItems: otherItems }) },
  }

  function section({ components: own }: JsonObject): boolean {
    return isObject(own) && 'pathItems' in own
  }
}

it.each(Object.keys(targets) as Section[])(
  'a document with a reference to a component of %s is the same, copied or not',
  (section) => {
    const document = createDocument(section)
    const { root } = bundle(createFiles(document), () => undefined)
    expect(root).toEqual(bundleByCopy(document))
  },
)
