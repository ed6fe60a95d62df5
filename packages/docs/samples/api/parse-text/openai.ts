import { openAsBlob } from 'node:fs'
import OpenAI from 'openai'

const openai = new OpenAI({
  baseURL: process.env.FAREBOX_BASE_URL,
  apiKey: process.env.FAREBOX_API_KEY,
})
const body = new FormData()
body.set('file', await openAsBlob('fare-table.pdf'), 'fare-table.pdf')
body.set('response_format', 'json')
const { text } = await openai.post<{ text: string }>('/augment/text-parser', { body })
console.log(text)
