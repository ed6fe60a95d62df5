import { openAsBlob } from 'node:fs'

const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const form = new FormData()
form.set('file', await openAsBlob('fare-table.pdf'), 'fare-table.pdf')
form.set('response_format', 'json')

const response = await fetch(`${baseUrl}/augment/text-parser`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}` },
  body: form,
})
console.log(response.status, await response.json()) // 200 { text: '...', tokens: ... }
