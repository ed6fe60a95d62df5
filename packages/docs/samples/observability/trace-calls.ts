import * as api from '@opentelemetry/api'
import { createFarebox } from 'farebox'
import { tracing, withMiddleware } from '@farebox/middleware'

const farebox = createFarebox({ fetch: withMiddleware(fetch, tracing(api)) })
const model = await farebox.getModel({ id: 'tts-kokoro' })
console.log(model.id)
