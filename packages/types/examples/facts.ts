import type { TransactionHistory } from '@farebox/types'
import { createSpeech, operations, type OperationId } from '@farebox/types/operations'

/** What a page of the ledger adds up to, in USD. */
export function total({ data }: TransactionHistory): number {
  return data.transactions.reduce((sum, { amount }) => sum + amount, 0)
}

/** The operations that a second send does no harm to. */
export const repeatable = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].idempotent)

export const speechPath: '/audio/speech' = createSpeech.path
