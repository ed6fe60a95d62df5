import { createReadStream } from 'node:fs'
import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const { duration, segments } = await openai.audio.transcriptions.create({
  file: createReadStream('voice.wav'),
  model: 'local-test-transcription',
  response_format: 'verbose_json',
  timestamp_granularities: ['segment'],
})
console.log(duration > 0, (segments?.length ?? 0) > 0)
