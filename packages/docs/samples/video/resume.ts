import { createFarebox, type VideoTicket } from 'farebox'

const farebox = createFarebox()
const ticket: VideoTicket = await farebox.queueVideo({ model: 'local-test-clip', prompt: 'A tram', duration: '2s', resolution: '256p' })
const kept = JSON.stringify(ticket) // keep all of it: a download_url comes only once

// later, in another process
const video = await farebox.generateVideo(JSON.parse(kept) as VideoTicket, { pollMs: 250 })
console.log((await video.arrayBuffer()).byteLength > 5_000)
