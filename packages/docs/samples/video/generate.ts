import { writeFile } from 'node:fs/promises'
import { createFarebox } from 'farebox'

const farebox = createFarebox()
const video = await farebox.generateVideo(
  {
    model: 'local-test-clip',
    prompt: 'A tram crosses a bridge',
    duration: '2s',
    resolution: '256p',
  },
  {
    maxUsd: 0.5, // asks for the price first, and queues nothing that costs more
    pollMs: 250,
    onProgress: (progress) => console.log(progress.stage),
  },
)
await writeFile('tram.mp4', new Uint8Array(await video.arrayBuffer()))
console.log(video.headers.get('content-type'))
