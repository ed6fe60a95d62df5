import { createClient } from './api/client/index.js'

const client = createClient({ baseUrl: process.env['FERRIES_URL'] ?? 'https://ferries.example/v1' })

const departures = await client.listDepartures({ pier: 'north' })
if (departures.status === 200)
  for (const { line, at } of departures.data) console.log(line, new Date(at).toISOString())
