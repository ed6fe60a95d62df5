import { createClient } from './api/client/index.js'
import { createServer, type Handlers } from './api/server/index.js'
import { Ticket } from './api/zod/index.js'

// the server: a handler for each operation, or it does not compile
let seats = 1
const handlers: Handlers = {
  listDepartures: ({ query }) => ({
    status: 200,
    body: [{ line: `${query.pier} 4`, at: '2026-06-01T08:15:00Z' }],
  }),
  buyTicket: ({ body }) =>
    seats-- > 0
      ? {
          status: 201,
          body: { id: crypto.randomUUID(), priceUsd: 2.4 + (body.bicycles ?? 0) },
        }
      : { status: 409, body: { next: '09:15' } },
}
const server = createServer(handlers, { basePath: '/v1' })

// the client: here it calls the server in the same process; without `fetch` it calls ferries.example
const client = createClient({
  fetch: async (input, init) => server.fetch(new Request(input, init)),
})

const departures = await client.listDepartures({ pier: 'north' })
if (departures.status === 200) console.log(departures.data.map(({ line }) => line))

for (let passenger = 0; passenger < 2; passenger++) {
  const bought = await client.buyTicket({ line: 'north 4', bicycles: 1 })
  // the status tells which type the body has
  if (bought.status === 201) console.log(Ticket.parse(bought.data).priceUsd, 'USD')
  else if (bought.status === 409) console.log('full; the next one leaves at', bought.error.next)
}
