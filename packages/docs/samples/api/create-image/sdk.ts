import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const [image] = await farebox.createImage({
  prompt: 'A paper ticket',
  size: '256x256',
  response_format: 'url',
})
console.log(image?.url)
