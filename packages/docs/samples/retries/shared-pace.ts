import { bearer } from '@farebox/auth'
import { createClient } from '@farebox/client'
import { memoryStore, pace } from '@farebox/retry'

const store = memoryStore() // for several processes: one that updates a row of a database in a transaction
const shared = { store, name: 'key of the nightly job' }

const clients = ['first', 'second'].map(() =>
  createClient({
    baseUrl: process.env.FAREBOX_BASE_URL ?? '',
    middleware: [pace({ shared }), bearer(process.env.FAREBOX_API_KEY ?? '')],
  }),
)
const answers = await Promise.all(clients.map((client) => client.getRateLimits({})))
console.log(answers.map(({ status }) => status).join())
