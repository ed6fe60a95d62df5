import { describe, expect, it } from 'vitest'
import { encodeJson, takeBody, takeFields, takeGivenInput, takeInput } from './body.js'
import { encodeForm, encodeMultipart } from './encode-form.js'
import { encodeRaw } from './encode-raw.js'
import type { BodyFacts, OperationFacts, PreparedBody } from './call.js'
import { InvalidInputError } from './invalid-input-error.js'
import { putHeader, putQuery, writePair, writeText } from './parameters.js'

const operation: OperationFacts = {
  id: 'op',
  method: 'POST',
  path: '/op',
  security: [[]],
  idempotent: false,
  parameters: [
    { name: 'X-Key', field: 'xKey', in: 'header', write: writeText, put: putHeader },
    { name: 'q', in: 'query', write: writePair, put: putQuery },
  ],
  responses: {},
}

type Input = Readonly<Record<string, unknown>>

/** What perform makes of an input. */
async function prepare(given: Partial<BodyFacts>, input: Input): Promise<PreparedBody | undefined> {
  const body: BodyFacts = {
    required: true,
    contentType: 'application/json',
    take: takeBody,
    encode: encodeJson,
    ...given,
  }
  const value = body.take(operation, body, input)
  return value === undefined ? undefined : body.encode(value, body, operation)
}

const prepareWhole = (body: unknown, facts: Partial<BodyFacts> = {}) => prepare(facts, { body })
const prepareFields = (input: Input, required = true) =>
  prepare({ take: takeFields, required }, input)

describe('the fields of a body', () => {
  it('are those that are not parameters, without undefined and inherited ones', async () => {
    const input = Object.assign(Object.create({ inherited: 1 }) as Input, {
      b: 1,
      a: null,
      c: undefined,
      xKey: 'k',
      q: 2,
    })
    expect(await prepareFields(input)).toEqual({
      body: '{"b":1,"a":null}',
      contentType: 'application/json',
    })
  })

  it('are the whole input if there are no parameters', async () => {
    expect(await prepare({ take: takeInput }, { b: 1, a: undefined })).toEqual({
      body: '{"b":1}',
      contentType: 'application/json',
    })
    expect(await prepare({ take: takeGivenInput }, {})).toBe(undefined)
    expect(await prepare({ take: takeInput }, {})).toEqual({
      body: '{}',
      contentType: 'application/json',
    })
  })

  it('may include __proto__', async () => {
    expect(await prepareFields(JSON.parse('{"__proto__":{"a":1}}') as Input)).toEqual({
      body: '{"__proto__":{"a":1}}',
      contentType: 'application/json',
    })
  })

  it('if missing, omit an optional body and send a required one empty', async () => {
    expect(await prepareFields({ q: 1 }, false)).toBe(undefined)
    expect(await prepareFields({ q: 1 })).toEqual({ body: '{}', contentType: 'application/json' })
  })

  it('may be the field "body", which must be present when it is required', async () => {
    expect(await prepareWhole([1])).toEqual({ body: '[1]', contentType: 'application/json' })
    expect(await prepareWhole(null)).toEqual({ body: 'null', contentType: 'application/json' })
    expect(await prepareWhole(undefined, { required: false })).toBe(undefined)
    await expect(prepareWhole(undefined)).rejects.toThrow(
      new InvalidInputError('op: the body is missing. Give it as the field "body".'),
    )
  })
})

describe('application/x-www-form-urlencoded', () => {
  const form = (body: unknown, encoding: NonNullable<BodyFacts['encoding']> = {}) =>
    prepareWhole(body, {
      contentType: 'application/x-www-form-urlencoded',
      encoding,
      encode: encodeForm,
    })

  it('round-trips', async () => {
    const fields = { text: 'a b+c&d=é%20', list: ['1', '2'], n: 1, no: null }
    const prepared = await form(fields)
    expect(prepared?.body).toBe('text=a+b%2Bc%26d%3D%C3%A9%2520&list=1&list=2&n=1')
    expect([...new URLSearchParams(prepared?.body as string)]).toEqual([
      ['text', 'a b+c&d=é%20'],
      ['list', '1'],
      ['list', '2'],
      ['n', '1'],
    ])
  })

  it('serializes an object as JSON, unless the contract declares a style', async () => {
    expect((await form({ at: { a: 1 } }))?.body).toBe('at=%7B%22a%22%3A1%7D')
    expect(
      (await form({ at: { a: 1 } }, { at: { style: 'deepObject', explode: true } }))?.body,
    ).toBe('at%5Ba%5D=1')
    expect((await form({ at: [1, 2] }, { at: { style: 'spaceDelimited' } }))?.body).toBe('at=1+2')
    expect((await form({ at: [1, 2] }, { at: { explode: false } }))?.body).toBe('at=1,2')
    expect((await form({ at: [1, 2] }, { at: { contentType: 'application/json' } }))?.body).toBe(
      'at=%5B1%2C2%5D',
    )
    expect((await form({ at: 'a/b' }, { at: { allowReserved: true } }))?.body).toBe('at=a/b')
  })

  it('accepts URLSearchParams', async () => {
    const body = new URLSearchParams('a=1')
    expect(await form(body)).toEqual({ body })
  })

  it('rejects values without fields', async () => {
    await expect(form('a=1')).rejects.toThrow(
      new InvalidInputError(
        'op: the body is a form, so it must be an object of fields; found string.',
      ),
    )
    await expect(form([1])).rejects.toThrow(
      new InvalidInputError(
        'op: the body is a form, so it must be an object of fields; found an array.',
      ),
    )
  })
})

describe('multipart/form-data', () => {
  it('accepts FormData', async () => {
    const body = new FormData()
    expect(
      await prepareWhole(body, { contentType: 'multipart/form-data', encode: encodeMultipart }),
    ).toEqual({ body })
  })
})

describe('other media types', () => {
  const raw = (body: unknown, contentType: string, files: readonly string[] = []) =>
    prepareWhole(body, { contentType, files, encode: encodeRaw })

  it('text and scalars are sent as text', async () => {
    expect(await raw('<a/>', 'application/xml')).toEqual({
      body: '<a/>',
      contentType: 'application/xml',
    })
    expect(await raw(12, 'text/plain')).toEqual({ body: '12', contentType: 'text/plain' })
  })

  it('bytes are sent unchanged, streams again on each attempt', async () => {
    const prepared = await raw(new Uint8Array([1, 2]), 'application/octet-stream', ['body'])
    expect(await new Response(prepared?.body as Blob).arrayBuffer()).toEqual(
      new Uint8Array([1, 2]).buffer,
    )
    const streamed = await raw(() => new Blob(['a']).stream(), 'application/pdf')
    expect(streamed?.contentType).toBe('application/pdf')
    const again = async () =>
      new Response(typeof streamed?.body === 'function' ? streamed.body() : null).text()
    expect([await again(), await again()]).toEqual(['a', 'a'])
  })

  it('the type of the bytes is sent for a media type range', async () => {
    const png = new Blob(['a'], { type: 'image/png' })
    expect(await raw(png, 'image/*')).toEqual({ body: png, contentType: 'image/png' })
    expect((await raw(new Blob(['a']), '*/*'))?.contentType).toBe('application/octet-stream')
    expect((await raw('a', '*/*'))?.contentType).toBe('text/plain;charset=UTF-8')
  })

  it('an object is rejected', async () => {
    const message =
      'op: the body is application/xml, so it must be a string or bytes; found an object. Write it as application/xml first.'
    await expect(raw({ a: 1 }, 'application/xml')).rejects.toThrow(new InvalidInputError(message))
    await expect(raw({ path: '/etc/passwd' }, 'application/xml')).rejects.toThrow(
      new InvalidInputError(message),
    )
  })

  it('a string is not a file, unless the contract accepts both', async () => {
    const body = { contentType: 'application/pdf', files: ['body'], encode: encodeRaw }
    await expect(prepareWhole('./fares.pdf', body)).rejects.toThrow(
      'body: found a string, expected a file',
    )
    expect(await prepareWhole('./fares.pdf', { ...body, alsoValues: ['body'] })).toEqual({
      body: './fares.pdf',
      contentType: 'application/pdf',
    })
  })

  it('types with the suffix +json are JSON', async () => {
    for (const contentType of [
      'application/vnd.api+json',
      'application/json; charset=utf-8',
      'application/merge-patch+json',
    ]) {
      expect(await prepareWhole({ a: 1 }, { contentType })).toEqual({
        body: '{"a":1}',
        contentType,
      })
    }
  })
})
