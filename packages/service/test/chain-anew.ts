import type { Statement } from '../src/platform/database/database.js'
import { rowContentSql } from '../src/domain/ledger/chain.js'

/**
 * Computes all hashes of an account again, as somebody with rights to the whole database can, with
 * the head of the account and the position that audits have stored.
 */
export function chainAnew(account: string): readonly Statement[] {
  const params = [account]
  return [
    {
      sql: `update entry set hash = c.hash from (
         select e.id, chain_of(decode(repeat('00', 32), 'hex'), ${rowContentSql('e', 'a')}) over (order by e.number) as hash
         from entry e join account a on a.id = e.account_id where a.name = $1
       ) c where c.id = entry.id`,
      params,
    },
    {
      sql: `update account a set head = e.hash from entry e where a.name = $1 and e.account_id = a.id and e.number = a.entries`,
      params,
    },
    {
      sql: `update audited_account p set hash = e.hash from account a, entry e
         where a.name = $1 and p.account_id = a.id and e.account_id = a.id and e.number = p.number`,
      params,
    },
  ]
}
