const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/audio/speech`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ input: 'Two tickets to the harbour, please.', response_format: 'wav' }),
})
if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
const audio = await response.arrayBuffer()
console.log(response.headers.get('content-type'), audio.byteLength > 10_000)
