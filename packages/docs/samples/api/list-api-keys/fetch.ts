const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/api_keys?state=active`, {
  headers: { authorization: `Bearer ${key}` },
})
const { data } = (await response.json()) as { data: { keys: { id: string; state: string }[] } }
for (const { id, state } of data.keys) console.log(id, state)
