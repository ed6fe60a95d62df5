import { createSpeech } from '@farebox/client/operations'
import { compose, fetchSend } from '@farebox/middleware'

// the second list holds middleware: retry(), pace(), bearer(key)
const service = { baseUrl: 'http://127.0.0.1:4020/api/v1', send: compose(fetchSend(fetch), []) }
const result = await createSpeech(service, { input: 'Hello' })
if (result.status === 200) console.log((await result.data.arrayBuffer()).byteLength)
