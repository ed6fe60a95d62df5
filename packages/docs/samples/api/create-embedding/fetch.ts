const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/embeddings`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'local-test-embedding', input: 'Tickets to the lake' }),
})
const { data } = (await response.json()) as { data: { embedding: number[] }[] }
console.log(response.status, data[0]?.embedding.length)
