import { toUsd } from '../ledger/money.js'
import { canonical, type Difference, type SettledPayment, type Settlement } from './settlement.js'

/**
 * Compares the payments of one transaction with the money that it moved. Each movement stands for
 * one payment.
 */
export function compareTransaction(payments: readonly SettledPayment[], moved: readonly Settlement[]): readonly Difference[] {
  const left = [...moved]
  const take = (isIt: (one: Settlement) => boolean) => {
    const place = left.findIndex(isIt)
    return place < 0 ? undefined : left.splice(place, 1)[0]
  }
  const unmatched = payments.filter(({ payer, amount }) => !take((one) => isSame(one.payer, payer) && one.amount === amount))
  const differences = unmatched.map((payment): Difference => {
    const { id, transaction, payer } = payment
    const other = take((one) => isSame(one.payer, payer)) ?? take(() => true)
    if (!other)
      return { kind: 'missing', transaction, payment: id, detail: `${said(payment)} is credited, and the transaction moved nothing` }
    return { kind: 'different', transaction, payment: id, detail: `${said(payment)} is credited, and ${said(other)} was moved` }
  })
  return [...differences, ...left.map(extra)]
}

export function missing(payment: SettledPayment): Difference {
  const { id, transaction } = payment
  return { kind: 'missing', transaction, payment: id, detail: `${said(payment)} is credited, and there is no such transaction` }
}

export function extra(moved: Settlement): Difference {
  return { kind: 'extra', transaction: moved.transaction, detail: `${said(moved)} was moved, and nobody was credited` }
}

function said({ amount, payer }: Settlement): string {
  return `${toUsd(amount)} USD of ${payer}`
}

function isSame(one: string, other: string): boolean {
  return canonical(one) === canonical(other)
}
