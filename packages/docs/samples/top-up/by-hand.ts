import { privateKeySigner } from '@farebox/auth/keys'
import { createFarebox, isFareboxError } from 'farebox'

const farebox = createFarebox({ wallet: privateKeySigner(process.env.FAREBOX_PRIVATE_KEY ?? '') })

try {
  const { amountCredited, newBalance } = await farebox.topUp(5)
  console.log(`credited ${amountCredited} USD, balance ${newBalance} USD`)
} catch (error) {
  if (!isFareboxError(error) || error.code !== 'outcome_unknown') throw error
  // the payment may still be settled: look before you buy again
  console.log(`balance ${(await farebox.balance()).balanceUsd} USD`)
}
