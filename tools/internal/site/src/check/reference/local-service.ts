import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@farebox/testing/commands'
import { root } from '../../folders.js'

export type LocalService = { readonly origin: string; readonly adminKey: string }

const adminKey = 'admin-key-of-the-site-check'

/** Runs `use` with a new service on this machine, and ends the service. */
export async function withLocalService<Result>(
  use: (service: LocalService) => Promise<Result>,
): Promise<Result> {
  const data = mkdtempSync(join(tmpdir(), 'farebox-site-'))
  const args = [
    join(root, 'packages/service/dist/command/cli.js'),
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
