import type { Browser } from 'playwright-core'
import { checkCopies } from './check-copies.js'
import { checkJourney } from './check-journey.js'
import { checkServicePage } from './check-service-page.js'
import { checkWallets } from './check-wallets.js'
import { withLocalService } from './local-service.js'

const parts = [checkJourney, checkCopies, checkWallets, checkServicePage]

/**
 * The consoles of the reference against one local service: a session that pages share, forms, the
 * trace, copies, the wallets of a browser, the page of the service. Returns what went wrong. What
 * stops one part does not stop the others.
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
