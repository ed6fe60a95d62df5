import { readFile } from 'node:fs/promises'
import { createFarebox } from 'farebox'

const farebox = createFarebox({
  apiKey: async () => (await readFile('inference.key', 'utf8')).trim(), // asked for at each attempt
})
console.log(
  await farebox.parseText({ file: new Blob(['Zone A to C: 2.40']), response_format: 'text' }),
)
