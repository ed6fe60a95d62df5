import type { OperationId } from '@farebox/types/operations'
import type { Connection } from '../connect.js'

/** A resource of the server: JSON that a host can read without a tool call. */
export type Resource = {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly read: (signal: AbortSignal) => Promise<unknown>
}

export type Sources = {
  readonly canCall: (id: OperationId) => boolean
  readonly connectionOf: (id: OperationId) => Connection
}

/** The models, and the ledger of the server's wallet if it has one. Reading them costs nothing. */
export function listResources({ canCall, connectionOf }: Sources): readonly Resource[] {
  const models: Resource = {
    uri: 'farebox://models',
    name: 'models',
    title: 'Models',
    description: 'Every model of the service, with its type, voices, limits and prices.',
    read: (signal) => connectionOf('listModels').farebox.listModels({ type: 'all' }, { signal }),
  }
  const ledger: Resource = {
    uri: 'farebox://ledger',
    name: 'ledger',
    title: 'Ledger',
    description:
      'The balance of the wallet of this server, and its latest transactions, newest first.',
    read: async (signal) => {
      const { farebox, address: walletAddress = '' } = connectionOf('listTransactions')
      const [balance, transactions] = await Promise.all([
        farebox.getBalance({ walletAddress }, { signal }),
        farebox.listTransactions({ walletAddress, limit: 50 }, { signal }),
      ])
      return { balance, transactions }
    },
  }
  return [
    ...(canCall('listModels') ? [models] : []),
    ...(canCall('listTransactions') && canCall('getBalance') ? [ledger] : []),
  ]
}
