import type { LedgerState } from '../session/ledger-state.js'

type Props = {
  readonly access: LedgerState['access']
  readonly ledger: LedgerState | undefined
  readonly problem: string
  readonly onRefresh: () => void
  readonly onTopUp: () => void
  readonly busy: boolean
}

/** The credit and a wallet's newest entries, as the service keeps them. */
export function Ledger({ access, ledger, problem, onRefresh, onTopUp, busy }: Props) {
  return (
    <section class="fbr-ledger" aria-label="Ledger">
      <h3>Ledger</h3>
      <div class="fbr-row">
        <p aria-live="polite" class="fbr-balance">
          {ledger === undefined ? 'Not asked for yet' : `${ledger.balanceUsd} USD`}
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
      {ledger !== undefined && ledger.rows.length === 0 && <p class="fbr-hint">{noRows[access]}</p>}
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

const noRows: Readonly<Record<LedgerState['access'], string>> = {
  wallet: 'The wallet has no entries yet.',
  key: 'The API lists the entries of wallets. Of a key it tells the credit.',
}
