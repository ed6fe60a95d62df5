import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.listApiKeys({ state: 'active' })
for (const { id, state } of data.keys) console.log(id, state)
