import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const answer = await farebox.retrieveVideo({
  model: 'local-test-clip',
  queue_id: process.env.QUEUE_ID ?? '',
})
if (answer instanceof Response)
  console.log(answer.headers.get('content-type'), (await answer.arrayBuffer()).byteLength > 5_000)
else console.log(answer.status) // PROCESSING: ask again, or let farebox.generateVideo do it
