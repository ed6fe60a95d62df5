import { useEffect, useRef, useState } from 'preact/hooks'
import type { Call, Item } from './api.js'
import { useApp, useLoaded } from './app.js'
import type { Change } from './change-dialog.js'
import { AmountField, Field, reasonField } from './fields.js'
import { formatMoney, formatTime, State, Table } from './table.js'

type Account = Item<'listAccounts', 'accounts'>
type Entry = Item<'listEntries', 'entries'>

/** The newest accounts, or those that were found, with what can be done for them. */
export function Accounts({ query }: { readonly query: string }) {
  const { allowsChanges, open, call } = useApp()
  const [opened, setOpened] = useState<string>()
  const loaded = useLoaded((load) => findAccounts(load, query), [query])
  return (
    <section aria-labelledby="accounts-title">
      <h2 id="accounts-title">{query === '' ? 'Accounts' : `Accounts found by ${query}`}</h2>
      {allowsChanges && (
        <div class="bar">
          <button type="button" onClick={() => open(moveMoney(call, 'Credit'))}>
            Credit an account
          </button>
        </div>
      )}
      <Table
        id="account-rows"
        title="Accounts"
        rows={loaded?.accounts}
        hasMore={loaded?.hasMore}
        {...(query !== '' && { none: `Nothing was found by ${query}.` })}
        columns={[
          { title: 'Account', kind: 'code', cell: (row: Account) => row.account },
          {
            title: 'State',
            cell: ({ frozen }) =>
              frozen ? (
                <State good={false}>
                  frozen by {frozen.by}: {frozen.reason}
                </State>
              ) : (
                'open'
              ),
          },
          { title: 'Spendable', kind: 'number', cell: (row) => formatMoney(row.spendable) },
          { title: 'Held', kind: 'number', cell: (row) => formatMoney(row.held) },
          {
            title: 'Daily credit left',
            kind: 'number',
            cell: (row) => formatMoney(row.dailyCreditLeft),
          },
          { title: 'Entries', kind: 'number', cell: (row) => row.entries },
          { title: 'Rate limits', cell: (row) => (row.partner ? 'partner' : 'default') },
          { title: 'Opened', cell: (row) => formatTime(row.createdAt) },
          {
            title: 'Actions',
            cell: (row) => <Actions account={row} onLedger={() => setOpened(row.account)} />,
          },
        ]}
      />
      {opened !== undefined && (
        <LedgerDialog account={opened} onClose={() => setOpened(undefined)} />
      )}
    </section>
  )
}

async function findAccounts(call: Call, query: string) {
  if (query === '') return call('listAccounts', { limit: 200 })
  const { found } = await call('findAccounts', { q: query })
  const accounts = new Map(found.map(({ account }) => [account.account, account]))
  return { accounts: [...accounts.values()], hasMore: false }
}

type ActionsProps = { readonly account: Account; readonly onLedger: () => void }

function Actions({ account: { account, spendable, frozen }, onLedger }: ActionsProps) {
  const { allowsChanges, call, open } = useApp()
  const action = (name: string, onClick: () => void) => (
    <button type="button" aria-label={`${name} ${account}`} onClick={onClick}>
      {name}
    </button>
  )
  return (
    <>
      <button type="button" aria-label={`Ledger of ${account}`} onClick={onLedger}>
        Ledger
      </button>
      {allowsChanges && (
        <>
          {action('Credit', () => open(moveMoney(call, 'Credit', { account, spendable })))}
          {action('Debit', () => open(moveMoney(call, 'Debit', { account, spendable })))}
          {frozen
            ? action('Unfreeze', () =>
                open({
                  title: `Unfreeze ${account}?`,
                  note: 'It can be used again at once.',
                  button: 'Unfreeze',
                  send: () => call('unfreezeAccount', { account }),
                }),
              )
            : action('Freeze', () =>
                open({
                  title: `Freeze ${account}?`,
                  note: 'It starts no paid work and gets no keys until it is unfrozen. Its balance can still be read.',
                  fields: reasonField,
                  button: 'Freeze',
                  send: ({ reason = '' }) => call('freezeAccount', { account, reason }),
                }),
              )}
        </>
      )}
    </>
  )
}

/** Credits or debits an account. Without one, the dialog asks for its name. */
function moveMoney(
  call: Call,
  kind: 'Credit' | 'Debit',
  known?: { readonly account: string; readonly spendable: number },
): Change {
  const key = createKey()
  const balance = known && `It can spend ${formatMoney(known.spendable)} USD now`
  return {
    title: `${kind} ${known?.account ?? 'an account'}`,
    note:
      balance === undefined
        ? 'The address of a wallet that has paid once, or key: with a name. An account of keys is opened if necessary.'
        : kind === 'Credit'
          ? `${balance}.`
          : `${balance}, and at most this is taken.`,
    fields: (
      <>
        {known === undefined && <Field name="account" label="Account" value="key:" required />}
        <AmountField />
        {reasonField}
      </>
    ),
    button: kind,
    send: ({ account = known?.account ?? '', usd, reason = '' }) =>
      call(kind === 'Credit' ? 'creditAccount' : 'debitAccount', {
        account,
        amount: Number(usd),
        reason,
        key,
      }),
  }
}

/** One for each dialog: a second click, or one after a lost response, moves nothing twice. */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join(
    '-',
  )
}

type LedgerDialogProps = { readonly account: string; readonly onClose: () => void }

function LedgerDialog({ account, onClose }: LedgerDialogProps) {
  const { allowsChanges, call, open } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const loaded = useLoaded((load) => load('listEntries', { account, limit: 100 }), [account])
  const refund = ({ id, amount, dailyCredit }: Entry): Change => {
    const key = createKey()
    return {
      title: `Refund ${id}`,
      note: `It charged ${formatMoney(-amount - dailyCredit)} USD. Earlier refunds count.`,
      fields: (
        <>
          <AmountField optional="all that is left" />
          {reasonField}
        </>
      ),
      button: 'Refund',
      send: ({ usd, reason = '' }) =>
        call('refundCharge', {
          entry: id,
          ...(usd !== '' && { amount: Number(usd) }),
          reason,
          key,
        }),
    }
  }
  return (
    <dialog ref={dialog} aria-labelledby="ledger-title" onClose={onClose}>
      <div class="bar">
        <h2 id="ledger-title">Ledger of {account}</h2>
        <button type="button" class="end" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      <Table
        id="entry-rows"
        title="Entries"
        rows={loaded?.entries}
        hasMore={loaded?.hasMore}
        columns={[
          { title: 'Time', cell: (row: Entry) => formatTime(row.createdAt) },
          { title: 'Type', cell: (row) => row.type },
          { title: 'Amount', kind: 'number', cell: (row) => formatMoney(row.amount) },
          { title: 'Balance after', kind: 'number', cell: (row) => formatMoney(row.balanceAfter) },
          { title: 'Model', cell: (row) => row.modelId },
          { title: 'By', kind: 'text', cell: (row) => row.actor },
          { title: 'Why', kind: 'text', cell: (row) => row.reason },
          { title: 'Request id', kind: 'code', cell: (row) => row.requestId },
          { title: 'Entry', kind: 'code', cell: (row) => row.id },
          {
            title: 'Actions',
            cell: (row) =>
              allowsChanges &&
              row.type === 'CHARGE' && (
                <button
                  type="button"
                  aria-label={`Refund ${row.id}`}
                  onClick={() => open(refund(row))}
                >
                  Refund
                </button>
              ),
          },
        ]}
      />
    </dialog>
  )
}
