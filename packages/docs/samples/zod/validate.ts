import { CreateSpeechRequest } from '@farebox/zod'

const verdict = CreateSpeechRequest.safeParse({ input: 'x'.repeat(4097), speed: 9 })
for (const { path, message } of verdict.error?.issues ?? [])
  console.log(`${path.join('.')}: ${message}`)
