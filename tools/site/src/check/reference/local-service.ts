import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../folders.js'

export type LocalService = { readonly origin: string; readonly adminKey: string }

const adminKey = 'admin-key-of-the-site-check'

/** Runs `use` with a new service on this machine, and ends the service. */
export async function withLocalService<Result>(use: (service: LocalService) => Promise<Result>): Promise<Result> {
  const data = mkdtempSync(join(tmpdir(), 'farebox-site-'))
  const args = [join(root, 'packages/service/dist/cli.js'), '--port', '0', '--data', join(data, 'ledger')]
  const service = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAREBOX_ADMIN_KEY: adminKey },
  })
  const ended = new Promise((resolve) => service.once('exit', resolve))
  try {
    return await use({ origin: await listening(service), adminKey })
  } finally {
    service.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}

function listening(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [, origin] = /listening on (http:\/\/[^\s/]+)/.exec(output) ?? []
      if (origin !== undefined) resolve(origin)
    })
    service.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)))
  })
}
