import { openAsBlob } from 'node:fs'

const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const form = new FormData()
form.set('file', await openAsBlob('voice.wav'), 'voice.wav')
form.set('model', 'tts-chatterbox-hd')

const response = await fetch(`${baseUrl}/audio/voices`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}` },
  body: form,
})
console.log(response.status, await response.json()) // 200 { id: 'vv_...', model: 'tts-chatterbox-hd' }
