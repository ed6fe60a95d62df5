import { createFarebox } from 'farebox'

const farebox = createFarebox()
const result = await farebox.parseText({ file: { path: 'fare-table.pdf' } })
if (typeof result !== 'string') console.log(result.tokens, result.text.slice(0, 60))
