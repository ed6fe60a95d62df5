import { createFarebox, type QueuedVideo } from 'farebox'

const farebox = createFarebox()
const queued: QueuedVideo = await farebox.queueVideo({
  model: 'local-test-clip',
  prompt: 'A tram',
  duration: '2s',
  resolution: '256p',
})
const order = JSON.stringify(queued) // store all of it: only this result has the download_url

// later, in another process
const video = await farebox.generateVideo(JSON.parse(order) as QueuedVideo, { pollMs: 250 })
console.log((await video.arrayBuffer()).byteLength > 5_000)
