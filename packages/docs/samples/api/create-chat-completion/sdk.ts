import { createFarebox } from 'farebox'

const farebox = createFarebox() // FAREBOX_BASE_URL and FAREBOX_API_KEY
const { choices } = await farebox.createChatCompletion({
  model: 'local-test-chat',
  messages: [{ role: 'user', content: 'Where is the harbour?' }],
})
console.log(choices[0]?.message.content)
