import { bearer } from '@farebox/auth'
import { createClient } from '@farebox/client'

const client = createClient({
  baseUrl: process.env.FAREBOX_BASE_URL ?? '',
  middleware: [bearer('no-such-key')],
})

const result = await client.parseText({ file: new Blob(['Fares']) })
if (result.status === 200) console.log(result.data)
else console.log(result.status, result.error) // by status; a declared response is never thrown
