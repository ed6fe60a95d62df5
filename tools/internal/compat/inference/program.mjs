// What the newest clients of OpenAI's API do with a service, by API key and by wallet. Plain
// JavaScript, because these versions need a later Node than the workspace and are not installed in
// it. `node program.mjs BASE_URL API_KEY` prints an outcome for each case.
import { memoryPaymentStore, pay, signIn } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'
import { retry } from '@farebox/retry'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import * as ai from 'ai'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'

const [, , baseURL, apiKey] = process.argv
const model = 'local-test-chat'
const messages = [{ role: 'user', content: 'What is the weather in Lisbon?' }]
const reply = /You wrote: What is the weather in Lisbon\?$/
const place = z.object({ city: z.string(), days: z.number().int().min(1).max(7) })
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city', 'days'],
  additionalProperties: false,
}
const tool = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather of a place', parameters },
}

function expectThat(isSo, what) {
  if (!isSo) throw new Error(`expected ${what}`)
}

/** Two sounds in three seconds of silence, as a WAV file. */
function recording() {
  const rate = 16_000
  const samples = Int16Array.from({ length: 3 * rate }, (_, at) => {
    const time = at / rate
    const isSound = (time > 0.5 && time < 1) || (time > 2 && time < 2.5)
    return isSound ? 8_000 * Math.sin(2 * Math.PI * 300 * time) : 0
  })
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(2 * rate, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([header, Buffer.from(samples.buffer)])
}

/** Each client, by what its users do. A case that a client does not have is missing. */
const clients = {
  openai: ({ key, fetch, headers }) => {
    const client = new OpenAI({
      baseURL,
      apiKey: key,
      fetch,
      maxRetries: 0,
      defaultHeaders: headers,
    })
    return {
      chat: async () => {
        const { choices, usage } = await client.chat.completions.create({ model, messages })
        expectThat(reply.test(choices[0].message.content), 'the reply')
        expectThat(usage.completion_tokens > 10, 'the usage')
      },
      stream: async () => {
        let text = ''
        let usage
        for await (const chunk of await client.chat.completions.create({
          model,
          messages,
          stream: true,
          stream_options: { include_usage: true },
        })) {
          text += chunk.choices[0]?.delta.content ?? ''
          usage = chunk.usage ?? usage
        }
        expectThat(reply.test(text) && usage.total_tokens > 10, 'the reply and the usage')
      },
      'stream helper': async () => {
        const stream = client.chat.completions.stream({ model, messages })
        const pieces = []
        stream.on('content', (piece) => pieces.push(piece))
        const text = await stream.finalContent()
        expectThat(pieces.length > 5 && pieces.join('') === text && reply.test(text), 'pieces')
      },
      tools: async () => {
        const first = await client.chat.completions.create({ model, messages, tools: [tool] })
        const { message, finish_reason: finish } = first.choices[0]
        const [call] = message.tool_calls
        expectThat(finish === 'tool_calls' && call.function.name === 'get_weather', 'a call')
        place.parse(JSON.parse(call.function.arguments))
        const result = { role: 'tool', tool_call_id: call.id, content: '21 degrees' }
        const second = await client.chat.completions.create({
          model,
          messages: [...messages, message, result],
          tools: [tool],
        })
        expectThat(second.choices[0].message.content.endsWith('21 degrees'), 'the result')
      },
      'structured output': async () => {
        const { choices } = await client.chat.completions.parse({
          model,
          messages,
          response_format: zodResponseFormat(place, 'place'),
        })
        place.parse(choices[0].message.parsed)
      },
      embeddings: async () => {
        const { data } = await client.embeddings.create({
          model: 'local-test-embedding',
          input: ['night bus', 'day ticket'],
        })
        expectThat(data.length === 2 && data[1].embedding.length === 256, 'two vectors')
      },
      images: async () => {
        const { data } = await client.images.generate({
          model: 'local-test-image',
          prompt: 'A tram',
          size: '256x256',
        })
        expectThat(Buffer.from(data[0].b64_json, 'base64').includes('IHDR'), 'a PNG file')
      },
      transcription: async () => {
        const { segments, words } = await client.audio.transcriptions.create({
          model: 'local-test-transcription',
          file: new File([recording()], 'ride.wav', { type: 'audio/wav' }),
          response_format: 'verbose_json',
          timestamp_granularities: ['segment', 'word'],
        })
        expectThat(segments.length === 2 && words.length === 2, 'two sounds')
        expectThat(Math.abs(segments[1].start - 2) < 0.1, 'the time of the second')
      },
    }
  },

  'AI SDK, openai-compatible': ({ key, fetch }) => {
    const provider = createOpenAICompatible({
      name: 'farebox',
      baseURL,
      apiKey: key,
      fetch,
      supportsStructuredOutputs: true,
      includeUsage: true,
    })
    const options = { model: provider(model), messages, maxRetries: 0 }
    const weather = ai.tool({ description: 'The weather of a place', inputSchema: place })
    return {
      chat: async () => {
        const { text, usage } = await ai.generateText(options)
        expectThat(reply.test(text) && usage.outputTokens > 10, 'the reply and the usage')
      },
      stream: async () => {
        const { textStream, usage } = ai.streamText(options)
        const pieces = []
        for await (const piece of textStream) pieces.push(piece)
        expectThat(pieces.length > 5 && reply.test(pieces.join('')), 'the reply in pieces')
        expectThat((await usage).outputTokens > 10, 'the usage')
      },
      tools: async () => {
        const { toolCalls } = await ai.generateText({ ...options, tools: { get_weather: weather } })
        expectThat(toolCalls[0].toolName === 'get_weather', 'a call')
        place.parse(toolCalls[0].input)
      },
      'structured output': async () => {
        const { output } = await ai.generateText({
          ...options,
          output: ai.Output.object({ schema: place }),
        })
        place.parse(output)
      },
      embeddings: async () => {
        const { embeddings } = await ai.embedMany({
          model: provider.embeddingModel('local-test-embedding'),
          values: ['night bus', 'day ticket'],
          maxRetries: 0,
        })
        expectThat(embeddings.length === 2 && embeddings[1].length === 256, 'two vectors')
      },
      images: async () => {
        const { image } = await ai.generateImage({
          model: provider.imageModel('local-test-image'),
          prompt: 'A tram',
          size: '256x256',
          maxRetries: 0,
        })
        expectThat(Buffer.from(image.uint8Array).includes('IHDR'), 'a PNG file')
      },
    }
  },

  LangChain: ({ key, fetch, headers }) => {
    const configuration = { baseURL, fetch, defaultHeaders: headers }
    const options = { apiKey: key, maxRetries: 0, configuration }
    const chat = new ChatOpenAI({ ...options, model, streamUsage: true })
    return {
      chat: async () => {
        const { content, usage_metadata: usage } = await chat.invoke(messages)
        expectThat(reply.test(content) && usage.output_tokens > 10, 'the reply and the usage')
      },
      stream: async () => {
        const pieces = []
        for await (const { content } of await chat.stream(messages)) pieces.push(content)
        expectThat(pieces.length > 5 && reply.test(pieces.join('')), 'the reply in pieces')
      },
      tools: async () => {
        const { tool_calls: calls } = await chat.bindTools([tool]).invoke(messages)
        expectThat(calls[0].name === 'get_weather', 'a call')
        place.parse(calls[0].args)
      },
      'structured output': async () => {
        const structured = chat.withStructuredOutput(place, { method: 'jsonSchema', name: 'place' })
        place.parse(await structured.invoke(messages))
      },
      embeddings: async () => {
        const embeddings = new OpenAIEmbeddings({ ...options, model: 'local-test-embedding' })
        const vectors = await embeddings.embedDocuments(['night bus', 'day ticket'])
        expectThat(vectors.length === 2 && vectors[1].length === 256, 'two vectors')
      },
    }
  },
}

async function callers() {
  const signer = privateKeySigner(generatePrivateKey())
  const store = memoryPaymentStore()
  const paying = withMiddleware(
    fetch,
    pay(signer, { origin: baseURL, maxUsdPerPayment: 5, maxUsdPerDay: 10, store }),
  )
  const { status } = await paying(`${baseURL}/x402/top-up`, { method: 'POST' })
  expectThat(status === 200, 'credit')
  const signed = withMiddleware(fetch, retry(), signIn(signer, { origin: baseURL }))
  // the wallet signs each request in, and clients send the key that they insist on
  const bySigner = async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    return signed(input, { ...init, headers })
  }
  return {
    'API key': { key: apiKey, fetch: withMiddleware(fetch, retry()) },
    wallet: { key: 'none', fetch: bySigner },
  }
}

const outcomes = {}
for (const [caller, credentials] of Object.entries(await callers()))
  for (const [client, create] of Object.entries(clients))
    for (const [name, run] of Object.entries(create(credentials))) {
      const failed = await run().then(
        () => undefined,
        (error) => `${error.name}: ${error.message}`.slice(0, 300),
      )
      outcomes[client] ??= {}
      outcomes[client][name] ??= {}
      outcomes[client][name][caller] = failed ?? 'works'
    }
console.log(JSON.stringify(outcomes))
process.exit(0)
