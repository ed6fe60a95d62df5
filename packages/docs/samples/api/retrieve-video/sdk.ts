import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const response = await farebox.retrieveVideo({
  model: 'local-test-clip',
  queue_id: process.env.QUEUE_ID ?? '',
})
if (response instanceof Response)
  console.log(
    response.headers.get('content-type'),
    (await response.arrayBuffer()).byteLength > 5_000,
  )
else console.log(response.status) // PROCESSING: ask again, or let farebox.generateVideo do it
