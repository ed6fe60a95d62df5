import { createClient } from '@farebox/client'

const client = createClient({ baseUrl: 'http://127.0.0.1:4020/api/v1' })
const { data, error } = await client.GET('/models', { params: { query: { type: 'tts' } } })
console.log(data ?? error)
