import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const data = await farebox.listModels({ type: 'tts' })
console.log(data.map(({ id }) => id).join('\n'))
