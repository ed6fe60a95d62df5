import { expect, it } from 'vitest'
import { readSpecFolder } from '../test/contract.js'

it('calls in the workflows only operations that the contract has', async () => {
  const known = listOperationIds(await readSpecFolder('paths'))
  const called = listOperationIds(await readSpecFolder('workflows'))

  expect(called.filter((id) => !known.includes(id))).toEqual([])
  expect(called).toEqual(
    [
      'topUp',
      'topUp',
      'parseText',
      'getBalance',
      'listTransactions',
      'quoteVideo',
      'queueVideo',
      'retrieveVideo',
    ].toSorted(),
  )
})

function listOperationIds(yaml: string): readonly string[] {
  return [...yaml.matchAll(/^ *operationId: (.*)$/gm)].map(([, id]) => id ?? '').toSorted()
}
