import * as api from '@opentelemetry/api'
import { createFarebox } from 'farebox'
import { withMiddleware } from '@farebox/middleware'
import { tracing } from '@farebox/middleware/tracing'

const farebox = createFarebox({ fetch: withMiddleware(fetch, tracing(api)) })
const model = await farebox.getModel({ id: 'tts-kokoro' })
console.log(model.id)
