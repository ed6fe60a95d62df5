import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.getApiKey({ id: process.env.KEY_ID ?? '' })
console.log(data.state, data.consumed.usd)
