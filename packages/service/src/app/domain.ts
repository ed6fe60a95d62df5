import { randomBytes, randomUUID } from 'node:crypto'
import type { PaymentTerms } from '../contract/payment-required.js'
import { createBazaar, createPaymentInfo } from '../contract/x402-extensions.js'
import { createApiKeys } from '../domain/accounts/api-keys.js'
import { adminAccount } from '../domain/accounts/authenticate.js'
import { createKeyAdministration } from '../domain/accounts/key-administration.js'
import { createKeyUses } from '../domain/accounts/key-records.js'
import { createLedger } from '../domain/ledger/ledger.js'
import { toMicroUsd } from '../domain/ledger/money.js'
import { createLimitLog } from '../domain/limits/limit-log.js'
import { createMemoryLimits } from '../domain/limits/limits.js'
import { createSharedLimits } from '../domain/limits/shared-limits.js'
import { contractCatalogue } from '../domain/models/catalogue.js'
import { createKeyedRequests } from '../domain/replay/keyed-requests.js'
import { createVoices } from '../domain/speech/voices.js'
import { createVideoJobs } from '../domain/video/jobs.js'
import { document } from '../generated/document.js'
import { instrumentLedger, instrumentPayments } from './instrumented.js'
import { countUnsettled, type Observers } from './observers.js'
import { openAudit, type Storage } from './storage.js'
import { openPayments } from './payments.js'
import type { ServiceOptions } from './service-options.js'

export type Domain = Awaited<ReturnType<typeof openDomain>>

type Sources = {
  readonly storage: Storage
  readonly observers: Observers
  readonly origin: string
  readonly ticks: () => number
}

/** Opens the ledger and the other stores on the storage of the service. */
export async function openDomain(
  options: ServiceOptions,
  { storage, observers, origin, ticks }: Sources,
) {
  const { id = randomUUID, serviceName = 'Farebox', catalogue = contractCatalogue } = options
  const { database, clock, processId, isExclusive, pepper, oldPepper } = storage
  const { now } = clock
  const { metrics, troubleWith } = observers
  const ledger = instrumentLedger(
    createLedger(database, { now, id, processId }),
    metrics,
    catalogue,
    options.telemetry !== undefined,
  )
  if (options.adminKey !== undefined)
    await ledger.openKeyAccount(adminAccount, toMicroUsd(options.adminCreditUsd ?? 100))
  const payments =
    options.payments ??
    (await openPayments(options, {
      database,
      now,
      id,
      troubleWith,
      ledger,
      onUnsettled: countUnsettled(metrics, catalogue),
    }))
  const terms: PaymentTerms = {
    payments: instrumentPayments(payments, metrics, ticks),
    catalogue,
    origin,
    serviceName,
    now,
    nonce: () => randomBytes(8).toString('hex'),
    bazaar: createBazaar(document),
    paymentInfo: createPaymentInfo(document),
  }
  return {
    catalogue,
    ledger,
    terms,
    audit: await openAudit(database, now, options.auditAnchor),
    requests: createKeyedRequests(database, {
      now,
      secret: pepper,
      processId,
      ...(options.storedResponses && { limits: options.storedResponses }),
    }),
    jobs: createVideoJobs(database, ledger, now, options.videoInputs),
    voices: createVoices(database, now),
    keys: {
      ...createApiKeys(database, { now, pepper, ...(oldPepper !== undefined && { oldPepper }) }),
      ...createKeyAdministration(database, { now, pepper }),
    },
    uses: createKeyUses(database, now),
    limits: isExclusive ? createMemoryLimits() : createSharedLimits(database),
    limitLog: createLimitLog(database, now),
  }
}
