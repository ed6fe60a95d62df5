import { openAsBlob } from 'node:fs'

const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const form = new FormData()
form.set('file', await openAsBlob('voice.wav'), 'voice.wav')
form.set('model', 'local-test-transcription')

const response = await fetch(`${baseUrl}/audio/transcriptions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}` },
  body: form,
})
console.log(response.status, await response.json()) // 200 { text: '...', usage: { ... } }
