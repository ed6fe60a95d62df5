import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.rotateApiKey({ id: process.env.KEY_ID ?? '', graceSeconds: 3600 })
console.log(data.id, data.previousSecretUntil) // data.apiKey is shown this once
