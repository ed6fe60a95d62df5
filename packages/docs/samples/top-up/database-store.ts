import { PGlite } from '@electric-sql/pglite'
import { pay, PaymentError, type PaymentRecord, type PaymentStore } from '@farebox/auth'
import { generatePrivateKey, privateKeySigner } from '@farebox/auth/keys'
import { withMiddleware } from '@farebox/middleware'

const database = new PGlite() // or a client of your PostgreSQL
await database.exec(`
  CREATE TABLE IF NOT EXISTS farebox_payments (id integer PRIMARY KEY CHECK (id = 1), records jsonb NOT NULL);
  INSERT INTO farebox_payments VALUES (1, '[]') ON CONFLICT DO NOTHING`)

/** All machines share one row, which is locked from the read to the write. */
const store: PaymentStore = {
  update: (change) =>
    database.transaction(async (transaction) => {
      const { rows } = await transaction.query<{ records: PaymentRecord[] }>(
        'SELECT records FROM farebox_payments FOR UPDATE',
      )
      const records = rows[0]?.records ?? []
      const changed = change(records)
      if (changed !== records)
        await transaction.query('UPDATE farebox_payments SET records = $1', [
          JSON.stringify(changed),
        ])
    }),
}

const origin = process.env.FAREBOX_BASE_URL ?? ''
const signer = privateKeySigner(generatePrivateKey())
for (const machine of ['one', 'another']) {
  const payingFetch = withMiddleware(
    fetch,
    pay(signer, { origin, maxUsdPerPayment: 5, maxUsdPerDay: 8, store }),
  )
  await payingFetch(`${origin}/x402/top-up?from=${machine}`, { method: 'POST' }).then(
    ({ status }) => console.log(status),
    (error: unknown) => console.log(error instanceof PaymentError && error.code), // over_daily_cap
  )
}
await database.close()
