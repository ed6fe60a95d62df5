const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key, KEY_ID: id } = process.env

const response = await fetch(`${baseUrl}/api_keys/${id}`, {
  method: 'DELETE',
  headers: { authorization: `Bearer ${key}` },
})
const { data } = (await response.json()) as { data: { state: string } }
console.log(data.state)
