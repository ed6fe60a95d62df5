import { createFarebox } from 'farebox'

const farebox = createFarebox({
  retry: { attempts: 5, maxWaitMs: 120_000, deadlineMs: 300_000 },
  timeoutMs: 30_000,
})
console.log((await farebox.listModels({ type: 'tts' })).length)
