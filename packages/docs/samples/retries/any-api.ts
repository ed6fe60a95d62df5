import { clientCredentials } from '@farebox/auth'
import { createClient } from '@farebox/client'
import { withMiddleware } from '@farebox/middleware'
import { retry, timeout } from '@farebox/retry'

const baseUrl = process.env.FAREBOX_BASE_URL ?? ''
const oauth = clientCredentials({
  origin: baseUrl,
  tokenUrl: 'https://auth.example/oauth/token',
  clientId: 'tram',
  clientSecret: process.env.CLIENT_SECRET ?? '',
  // stands in for the authorization server; without it, the token comes from tokenUrl
  fetch: async () =>
    Response.json({ access_token: process.env.FAREBOX_API_KEY, token_type: 'Bearer' }),
})

const client = createClient({
  baseUrl,
  fetch: withMiddleware(
    fetch,
    retry({ attempts: 4 }),
    timeout({ responseMs: 30_000, idleMs: 20_000 }),
    oauth.middleware,
  ),
})
const { status } = await client.listModels()
console.log(status)
