import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmptyDatabase } from '../../test/empty-database.js'
import { migrate } from '../platform/database/migrate.js'
import { describeResult } from '../command/manage.js'
import { reconcileSettlements } from '../app/reconcile-settlements.js'

it('prints each difference and a summary, and where and why input is unusable', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-reconcile-'))
  const database = await openEmptyDatabase()
  await migrate(database)
  const file = join(folder, 'settlements.csv')
  await writeFile(file, 'transaction,payer,amount\n0x1,0xab,5\n')
  const request = { file, nodes: undefined, payees: {}, since: undefined, until: undefined }
  const reconcile = (more: object) =>
    reconcileSettlements(database, { ...request, ...more }, () => 86_400_000)
  const [result] = await reconcile({})
  expect(result && describeResult(result)).toEqual({
    faults: ['extra  0x1  5 USD of 0xab was moved, and nobody was credited'],
    summary: '0 payments: 1 difference.',
  })
  const silent = {
    payments: 2,
    unchecked: 1,
    differences: [],
    troubles: ['eip155:8453: eth_getTransactionReceipt: no response'],
  }
  expect(describeResult(silent)).toEqual({
    faults: ['no response  eip155:8453: eth_getTransactionReceipt: no response'],
    summary: '2 payments: no difference. 1 could not be compared.',
  })
  await expect(reconcile({ file: undefined })).rejects.toThrow(
    'Nothing to compare with: give --settlements FILE, --rpc-url or both.',
  )
  await expect(reconcile({ since: 5, until: 5 })).rejects.toThrow(
    '--since: found a time after --until',
  )
  await expect(reconcile({ file: join(folder, 'none') })).rejects.toThrow(
    /settlements in .*none: it cannot be read/,
  )
  await writeFile(file, 'transaction,payer,amount\n0x1,,5\n')
  await expect(reconcile({})).rejects.toThrow(
    `The settlements in ${file}: row 2: payer is missing or has another form; expected an address.`,
  )
  await database.close()
  await rm(folder, { recursive: true })
})
