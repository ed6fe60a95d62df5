import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const text = await farebox.parseText({ file: { path: 'fare-table.pdf' }, response_format: 'text' })
console.log(text)
