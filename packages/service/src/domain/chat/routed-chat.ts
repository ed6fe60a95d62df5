import { serving } from '../../platform/upstream/route-parts.js'
import { routeInference, type InferenceSources } from '../inference/routed-inference.js'
import type { ChatBackend } from './chat-backend.js'
import { boundPrompt } from './prompt-tokens.js'
import { listExtraFields } from './read-chat-order.js'
import type { UpstreamChat } from './upstream-chat.js'

/**
 * Chat of the upstreams that serve the model, or of the local backend while no upstream of chat is
 * configured. Another upstream is asked only before the first piece.
 */
export function createRoutedChat(
  sources: InferenceSources<ChatBackend, UpstreamChat>,
): ChatBackend {
  const { backend, local, ask } = routeInference(sources)
  const { pool } = sources
  return {
    ...backend,
    extraFields: (model) =>
      local()?.extraFields?.(model) ??
      new Set(serving(pool.members(), model).flatMap(({ settings }) => settings.extraFields)),
    complete: (task, signal) =>
      local()?.complete(task, signal) ??
      ask({
        task,
        // the completion is known at its end
        work: { inputTokens: boundPrompt(task.request) },
        signal,
        fields: listExtraFields(task.request),
        ask: (client, call) => client.complete(task, call),
        isDelivery: ({ choices }) => choices.length > 0,
      }),
  }
}
