import { createFarebox } from 'farebox'

const farebox = createFarebox()
const chunks = await farebox.createChatCompletion({
  model: 'local-test-chat',
  messages: [{ role: 'user', content: 'Where is the harbour?' }],
  max_completion_tokens: 200, // also the most that the call can cost
  stream: true,
  stream_options: { include_usage: true },
})

for await (const { choices, usage } of chunks) {
  process.stdout.write(choices[0]?.delta.content ?? '')
  if (usage) console.log(`\n${usage.prompt_tokens} + ${usage.completion_tokens} tokens`)
}
