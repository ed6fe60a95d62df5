import { operations, type OperationId } from '@farebox/types/operations'
import { validators } from '@farebox/zod/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type * as z from 'zod'
import { adminKey, startService, type Harness } from '../../test/harness.js'
import { createRecording } from '../../test/recording.js'
import { resolve, type Json } from '../contract/catalogue-document.js'
import { document } from '../generated/document.js'
import { isRecord } from '../platform/unknown-value.js'

let farebox: Harness
beforeAll(
  async () =>
    void (farebox = await startService({
      video: { name: 'test', render: async () => new Uint8Array(8) },
    })),
)
afterAll(() => farebox.service.close())

type Example = {
  readonly id: OperationId
  readonly name: string
  readonly contentType: string
  readonly value: unknown
}

const requests = Object.values(operations).flatMap(({ id }) =>
  listExamples(id, resolve(document, findOperation(id)['requestBody'])),
)
const responses = Object.values(operations).flatMap(({ id }) =>
  Object.entries(findOperation(id)['responses'] as Json).flatMap(([status, response]) =>
    listExamples(id, resolve(document, response)).map((example) => ({ ...example, status })),
  ),
)

it('example requests succeed as written', async () => {
  const responses: Record<string, number> = {}
  for (const example of requests)
    responses[`${example.id} ${example.name}`] = (await replay(example)).status
  expect(responses).toEqual({
    // the template of a path is no key
    'changeApiKey limits': 400,
    'changeApiKey unlimited': 400,
    'createApiKey admin': 200,
    'createApiKey inference': 200,
    'createChatCompletion question': 200,
    'createChatCompletion stream': 200,
    'createChatCompletion tools': 200,
    'createEmbedding one': 200,
    'createEmbedding several': 200,
    'createImage prompt': 200,
    'createImage url': 200,
    // there is no such handle
    'createSpeech cloned': 400,
    'createSpeech delivery': 200,
    'createSpeech shortest': 200,
    // a few letters are no recording
    'createTranscription recording': 400,
    'createVoice sample': 400,
    'parseText document': 200,
    'queueVideo reference-with-consent': 200,
    'queueVideo text-to-video': 200,
    'queueVideo upscale': 200,
    'quoteVideo five-seconds': 200,
    // there is no such video
    'retrieveVideo generation': 404,
    'rotateApiKey hour': 400,
  })
})

it('example requests that name a voice or a video succeed once it exists', async () => {
  const recording = new Blob([new Uint8Array(await createRecording(10))])
  const voice = await replay(findExample('createVoice', 'sample'), { file: recording })
  expect(voice.status).toBe(200)
  expect(
    (await replay(findExample('createSpeech', 'cloned'), { voice: voice.json['id'] })).status,
  ).toBe(200)
  const { model } = findExample('retrieveVideo', 'generation').value as Json
  const video = await replay(findExample('queueVideo', 'text-to-video'), { model })
  expect(
    (await replay(findExample('retrieveVideo', 'generation'), { queue_id: video.json['queue_id'] }))
      .status,
  ).toBe(200)
})

it('an example transcription request succeeds with a recording', async () => {
  const file = new Blob([new Uint8Array(await createRecording(2))])
  expect((await replay(findExample('createTranscription', 'recording'), { file })).status).toBe(200)
})

it('example requests that name a key succeed once it exists', async () => {
  const { id } = (await replay(findExample('createApiKey', 'inference'))).json['data'] as {
    readonly id: string
  }
  for (const request of requests.filter((one) =>
    operations[one.id].path.startsWith('/api_keys/{id}'),
  )) {
    expect((await replay(request, {}, id)).status, request.name).toBe(200)
  }
})

it.each(responses)(
  'example "$name" for $status of $id matches the contract',
  ({ id, status, contentType, value }) => {
    const schemas = validators[id].responses as Readonly<
      Record<string, Readonly<Record<string, z.ZodType>>>
    >
    expect(schemas[status]?.[contentType]?.safeParse(value).error?.issues ?? []).toEqual([])
  },
)

/** Sends a request of the document, with some members changed. */
function replay({ id, contentType, value }: Example, changes: Json = {}, keyId?: string) {
  // so that no limit stands in the way
  farebox.clock.time += 61_000
  const isJson = contentType === 'application/json'
  const fields = { ...(value as Json), ...changes }
  const headers = {
    authorization: `Bearer ${adminKey}`,
    ...(isJson && { 'content-type': contentType }),
  }
  const { path, method } = operations[id]
  return farebox.call(id, keyId === undefined ? path : path.replace('{id}', keyId), {
    method,
    headers,
    body: isJson ? JSON.stringify(fields) : toForm(fields),
  })
}

function findExample(id: OperationId, name: string): Example {
  const found = requests.find((one) => one.id === id && one.name === name)
  if (!found) throw new Error(`The document has no example ${name} of ${id}`)
  return found
}

function findOperation(id: OperationId): Json {
  const { path, method } = operations[id]
  return resolve(document, ((document['paths'] as Json)[path] as Json)[method.toLowerCase()])
}

function listExamples(id: OperationId, { content }: Json): Example[] {
  return Object.entries(isRecord(content) ? content : {}).flatMap(([contentType, media]) => {
    const { examples } = media as Json
    return Object.entries(isRecord(examples) ? examples : {}).map(([name, example]) => ({
      id,
      name,
      contentType,
      value: resolve(document, example)['value'],
    }))
  })
}

function toForm(fields: Json): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'file')
      form.append(name, value instanceof Blob ? value : new Blob([String(value)]), 'a')
    else form.append(name, String(value))
  }
  return form
}
