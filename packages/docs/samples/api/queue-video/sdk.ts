import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const { queue_id } = await farebox.queueVideo({
  model: 'local-test-clip',
  prompt: 'A quiet harbour at dawn',
  duration: '2s',
})
console.log(queue_id)
