const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

// JSON while it is worked on, the file once it is there
async function retrieveVideo(): Promise<Response> {
  const response = await fetch(`${baseUrl}/video/retrieve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local-test-clip', queue_id: process.env.QUEUE_ID }),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response
}

let result = await retrieveVideo()
while (result.headers.get('content-type') === 'application/json') {
  await new Promise((resolve) => setTimeout(resolve, 500))
  result = await retrieveVideo()
}
console.log(result.headers.get('content-type'), (await result.arrayBuffer()).byteLength > 5_000)
