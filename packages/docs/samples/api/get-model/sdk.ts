import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const model = await farebox.getModel({ id: 'tts-kokoro' })
console.log(model)
