import type { ChatMessage, ChatTool } from '@farebox/types'
import { createFarebox } from 'farebox'

const departures: Record<string, string> = { harbour: '08:00', airport: '09:00' }
const nextDeparture: ChatTool = {
  type: 'function',
  function: {
    name: 'nextDeparture',
    description: 'The time of the next departure.',
    parameters: {
      type: 'object',
      properties: { line: { enum: Object.keys(departures) } },
      required: ['line'],
    },
  },
}
const call = { model: 'local-test-chat', tools: [nextDeparture] }
const messages: ChatMessage[] = [{ role: 'user', content: 'When does the next boat leave?' }]

const farebox = createFarebox()
const completion = await farebox.createChatCompletion({
  ...call,
  messages,
  tool_choice: 'required',
})
const calls = completion.choices[0]?.message.tool_calls ?? []
messages.push({ role: 'assistant', content: null, tool_calls: calls })
for (const { id, function: wantedCall } of calls) {
  const { line } = JSON.parse(wantedCall.arguments) as { line: string }
  messages.push({ role: 'tool', tool_call_id: id, content: departures[line] ?? 'unknown' })
}

const { choices } = await farebox.createChatCompletion({ ...call, messages, tool_choice: 'none' })
console.log(calls.length, choices[0]?.message.content)
