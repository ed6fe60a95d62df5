import { createFarebox } from 'farebox'

const farebox = createFarebox({
  onEvent: (event) => {
    if (event.type === 'send')
      console.log('send', event.method, event.operation, 'attempt', event.attempt)
    if (event.type === 'response') console.log('response', event.status)
    if (event.type === 'retry') console.log('retry', event.reason, event.delayMs, event.source)
    if (event.type === 'wait') console.log('wait', event.by, event.delayMs)
    if (event.type === 'give-up') console.log('give-up', event.reason)
  },
})
await farebox.getModel({ id: 'tts-kokoro' })
