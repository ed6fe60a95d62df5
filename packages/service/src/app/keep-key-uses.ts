import { keyUsesEveryMs, type KeyUses } from '../domain/accounts/key-uses.js'
import type { AppOptions } from '../http/app.js'
import { repeat } from './upkeep.js'
import type { UpkeepRounds } from './upkeep-rounds.js'

/** Writes the uses of keys from time to time until `close`, which writes the last ones. */
export async function keepKeyUses(
  { flush }: KeyUses,
  rounds: UpkeepRounds,
  onError: AppOptions['onError'],
): Promise<{ readonly close: () => Promise<void> }> {
  const flushing = await repeat(rounds('key-uses', flush), keyUsesEveryMs, onError)
  return {
    close: async () => {
      await flushing.close()
      await flush().catch((error: unknown) => onError(error, { requestId: 'close' }))
    },
  }
}
