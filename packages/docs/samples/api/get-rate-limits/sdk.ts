import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.getRateLimits()
console.log(data.balances, data.rateLimits.length)
