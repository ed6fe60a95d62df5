import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@farebox/testing/commands'
import type { Browser } from 'playwright-core'
import { root } from '../../folders.js'
import { checkCopies } from './check-copies.js'
import { checkJourney } from './check-journey.js'
import { checkServicePage } from './check-service-page.js'
import { checkWallets } from './check-wallets.js'
import type { LocalService } from './visitor.js'

const parts = [checkJourney, checkCopies, checkWallets, checkServicePage]

/**
 * Checks the consoles of the reference against a local service: the shared session, forms, the trace,
 * code to copy, browser wallets, and the page of the service. Returns the faults. An error in one part
 * does not stop the others.
 */
export function checkReference(browser: Browser, site: string): Promise<readonly string[]> {
  return withLocalService(async (service) => {
    const faults: string[] = []
    for (const part of parts)
      await part({ browser, site, service, faults }).catch(
        (error: unknown) => void faults.push(`${part.name}: ${String(error)}`),
      )
    return faults
  })
}

const adminKey = 'admin-key-of-the-site-check'

/** Starts a service, runs `use` with it, and stops it. */
async function withLocalService<Result>(
  use: (service: LocalService) => Promise<Result>,
): Promise<Result> {
  const data = mkdtempSync(join(tmpdir(), 'farebox-site-'))
  const args = [
    join(root, 'packages/service/dist/bin.js'),
    '--port',
    '0',
    '--data',
    join(data, 'ledger'),
  ]
  const { address, stop } = await serve(process.execPath, args, /listening on (http:\/\/[^\s/]+)/, {
    env: { FAREBOX_ADMIN_KEY: adminKey },
  })
  try {
    return await use({ origin: address, adminKey })
  } finally {
    await stop()
    rmSync(data, { recursive: true, force: true })
  }
}
