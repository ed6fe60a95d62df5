const { FAREBOX_BASE_URL: baseUrl, FAREBOX_API_KEY: key } = process.env

const response = await fetch(`${baseUrl}/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'local-test-chat',
    messages: [{ role: 'user', content: 'Where is the harbour?' }],
  }),
})
const { choices, usage } = (await response.json()) as {
  choices: { message: { content: string } }[]
  usage: { completion_tokens: number }
}
console.log(response.status, choices[0]?.message.content, usage.completion_tokens > 0)
