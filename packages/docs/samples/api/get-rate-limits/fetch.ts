const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/api_keys/rate_limits`, {
  headers: { authorization: `Bearer ${key}` },
})
console.log(response.status, await response.json())
