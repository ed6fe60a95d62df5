import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findFreePort } from '@farebox/testing/start-listening'

export type Pgbouncer = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts pgbouncer before a server. Each transaction gets one of a few connections to it. */
export async function startPgbouncer(
  serverUrl: string,
  settings: readonly string[] = [],
): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-pgbouncer-'))
  const [server, port] = [new URL(serverUrl), await findFreePort()]
  writeFileSync(join(folder, 'users'), `"${server.username}" ""\n`)
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    `listen_addr=127.0.0.1`,
    `listen_port=${port}`,
    'unix_socket_dir=',
    'auth_type=trust',
    `auth_file=${join(folder, 'users')}`,
    'pool_mode=transaction',
    'default_pool_size=4',
    ...settings,
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`)
  chmodSync(folder, 0o755)
  // it does not run as root
  const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...owner })
  const ended = once(child, 'exit')
  while (!(await canConnect(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`)
    await setTimeout(20)
  }
  server.port = String(port)
  return {
    url: server.href,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false))
      .once('connect', () => socket.destroy())
  })
}
