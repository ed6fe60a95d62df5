import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox } from 'farebox'

const wallet = privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '')
const farebox = createFarebox({ wallet })
const data = await farebox.listTransactions({ walletAddress: wallet.address, limit: 1, offset: 0 })
console.log(data.transactions.length, data.pagination.hasMore)
