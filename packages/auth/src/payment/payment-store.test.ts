import { describe } from 'vitest'
import { describeStore } from '../../test/store-contract.js'
import { memoryPaymentStore } from './payment-store.js'

describe('a store in memory', () => {
  describeStore(async () => {
    const store = memoryPaymentStore()
    return () => store
  })
})
