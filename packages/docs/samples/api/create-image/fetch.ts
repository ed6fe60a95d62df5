const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/images/generations`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'A paper ticket', size: '256x256' }),
})
const { data } = (await response.json()) as { data: { b64_json: string }[] }
console.log(response.status, Buffer.from(data[0]?.b64_json ?? '', 'base64').length > 100)
