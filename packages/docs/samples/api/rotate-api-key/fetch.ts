const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key, KEY_ID: id } = process.env

const response = await fetch(`${baseUrl}/api_keys/${id}/rotate`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ graceSeconds: 3600 }),
})
const { data } = (await response.json()) as {
  data: { id: string; apiKey: string; previousSecretUntil?: string }
}
console.log(data.id, data.previousSecretUntil) // data.apiKey is shown this once
