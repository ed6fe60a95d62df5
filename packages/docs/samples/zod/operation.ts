import { parseText } from '@farebox/zod/operations'

console.log(
  parseText.responses[200]['application/json'].safeParse({ text: 'Fares', tokens: 1 }).success,
)
console.log(parseText.responses[200]['application/json'].safeParse({ text: 'Fares' }).success)
