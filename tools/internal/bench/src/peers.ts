import { spawnSync } from 'node:child_process'
import { peerVersions } from './peer-versions.js'

/** Lists the peers whose newest version on npm is not the one that was measured, with its date. */
export function peers(): void {
  const rows = Object.entries(peerVersions).map(([name, measured]) => {
    const { version: newest, time } = lookUp(name)
    return [name, { measured, newest, published: time[newest]?.slice(0, 10) ?? 'unknown' }] as const
  })
  const behind = rows.filter(([, { measured, newest }]) => measured !== newest)
  if (behind.length === 0)
    console.log(`All ${rows.length} peers were measured at their newest version.`)
  else console.table(Object.fromEntries(behind))
}

type Published = { readonly version: string; readonly time: Readonly<Record<string, string>> }

function lookUp(name: string): Published {
  const { status, stdout, stderr } = spawnSync('npm', ['view', name, 'version', 'time', '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm view ${name} failed: ${stderr.trim()}`)
  return JSON.parse(stdout) as Published
}
