const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/api_keys`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    apiKeyType: 'INFERENCE',
    description: 'Nightly summaries',
    consumptionLimit: { usd: 20 },
    limitPeriod: 'MONTH',
  }),
})
const { data } = (await response.json()) as { data: { id: string; apiKey: string } }
console.log(response.status, data.id) // data.apiKey is shown this once
