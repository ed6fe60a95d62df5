import { openWallet } from '../session/wallet.js'
import type { LedgerState } from '../session/session.js'
import type { LedgerProps, Payments } from './edition.js'

/** Wallets, payments and the ledger in the console of our own service. */
export const payments: Payments = {
  openWallet,
  load: () => import('../call/caller.js'),
  PayAndSend,
  Ledger,
  otherAccess: {
    wallet: 'This operation takes only a wallet, so the console uses one.',
    key: 'This operation takes an API key: choose one above.',
    none: 'This operation takes no credential.',
  },
}

function PayAndSend({ busy, onPay }: { readonly busy: boolean; readonly onPay: () => void }) {
  return (
    <button type="button" class="fbr-pay" disabled={busy} onClick={onPay}>
      Top up 5 USD and send again
    </button>
  )
}

/** The balance, and the newest entries of a wallet. */
function Ledger({ access, ledger, problem, onRefresh, onTopUp, busy }: LedgerProps) {
  return (
    <section class="fbr-ledger" aria-label="Ledger">
      <h3>Ledger</h3>
      <div class="fbr-row">
        <p aria-live="polite" class="fbr-balance">
          {ledger === undefined ? 'Not loaded yet' : `${ledger.balanceUsd} USD`}
        </p>
        {access === 'wallet' && (
          <button type="button" class="fbr-small fbr-top-up" disabled={busy} onClick={onTopUp}>
            Top up 5 USD
          </button>
        )}
        <button type="button" class="fbr-small" disabled={busy} onClick={onRefresh}>
          Refresh
        </button>
      </div>
      {problem !== '' && <p class="fbr-problem">{problem}</p>}
      {ledger !== undefined && ledger.rows.length === 0 && (
        <p class="fbr-hint">{noEntries[access]}</p>
      )}
      {ledger !== undefined && ledger.rows.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Entry</th>
              <th>USD</th>
              <th>Credit</th>
            </tr>
          </thead>
          <tbody>
            {ledger.rows.map(({ id, type, amount, balanceAfter, modelId, createdAt }) => (
              <tr key={id}>
                <td title={createdAt}>
                  {type}
                  {modelId !== null && <small> {modelId}</small>}
                </td>
                <td>{amount}</td>
                <td>{balanceAfter}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

const noEntries: Readonly<Record<LedgerState['access'], string>> = {
  wallet: 'The wallet has no entries yet.',
  key: 'The API lists only the entries of wallets. A key has just its balance here.',
}
