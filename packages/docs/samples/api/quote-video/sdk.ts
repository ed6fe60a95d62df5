import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const { quote } = await farebox.quoteVideo({
  model: 'local-test-clip',
  duration: '5s',
  resolution: '720p',
})
console.log(`${quote} USD`)
