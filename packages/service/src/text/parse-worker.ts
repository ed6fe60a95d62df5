import { serveTasks } from '../workers/serve-tasks.js'
import { countTokens } from './count-tokens.js'
import { extractText } from './extract-text.js'

/** The worker thread of `createTextParser`: bytes in; text and tokens, or a code and a message, out. */
serveTasks(async ({ bytes }) => {
  const text = await extractText(bytes)
  return { text, tokens: countTokens(text) }
})
