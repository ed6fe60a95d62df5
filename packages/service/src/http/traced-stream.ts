import { keepSpansOpen, withActiveSpan } from '../platform/telemetry/spans.js'
import { answerStream } from './answer-stream.js'

/** A stream whose spans are open until its end, and whose end belongs to them. */
export const tracedStream: typeof answerStream = async (work, { client, onEnd }) => {
  const inItsSpan = withActiveSpan()
  let end: () => void = () => undefined
  keepSpansOpen(new Promise<void>((resolve) => (end = resolve)))
  try {
    return await answerStream(work, { client, onEnd: (made) => inItsSpan(() => onEnd(made)).finally(end) })
  } catch (error) {
    end()
    throw error
  }
}
