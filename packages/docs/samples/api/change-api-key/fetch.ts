const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key, KEY_ID: id } = process.env

const response = await fetch(`${baseUrl}/api_keys/${id}`, {
  method: 'PATCH',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ consumptionLimit: { usd: 50 }, limitPeriod: 'MONTH' }),
})
const { data } = (await response.json()) as { data: { consumptionLimit: { usd?: number } } }
console.log(data.consumptionLimit.usd)
