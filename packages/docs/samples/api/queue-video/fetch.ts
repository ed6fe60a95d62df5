const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/video/queue`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  },
  body: JSON.stringify({
    model: 'local-test-clip',
    prompt: 'A quiet harbour at dawn',
    duration: '2s',
  }),
})
console.log(response.status, await response.json()) // 200 { model: 'local-test-clip', queue_id: '...' }
