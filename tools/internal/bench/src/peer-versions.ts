import { installPackage } from '@farebox/testing/install-package'
import { spawnSync } from 'node:child_process'

/** The packages that are measured beside ours, at the versions that were measured. */
export const peerVersions = {
  '@anthropic-ai/sdk': '1.14.0',
  '@azure-rest/core-client': '2.9.0',
  '@cfworker/json-schema': '4.1.6',
  '@exodus/schemasafe': '1.3.0',
  '@hey-api/openapi-ts': '0.99.0',
  '@kubb/plugin-zod': '4.39.3',
  '@portkey-ai/gateway': '1.15.2',
  '@redocly/cli': '2.77.0',
  '@stripe/cli': '1.52.0',
  '@x402/axios': '2.11.0',
  '@x402/evm': '2.27.0',
  '@x402/fetch': '2.27.0',
  ai: '7.0.173',
  ajv: '8.20.0',
  'ata-validator': '1.27.1',
  axios: '1.21.1',
  got: '16.1.0',
  ky: '2.1.0',
  mppx: '0.11.0',
  octokit: '5.0.5',
  officeparser: '8.1.1',
  openai: '7.57.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  'pdf-parse': '2.4.5',
  stripe: '23.1.0',
  typebox: '1.4.3',
  valibot: '1.5.0',
  'venice-x402-client': '0.2.0',
} as const

export type PeerName = keyof typeof peerVersions

/** The folder of a peer at its measured version, with packages and overrides as `installPackage` has them. */
export function installPeer(
  name: PeerName,
  beside: readonly string[] = [],
  overrides: Readonly<Record<string, string>> = {},
): string {
  return installPackage(name, peerVersions[name], beside, overrides)
}

/** The folder of a package of kubb beside which the others that we measure are. */
export function installKubb(): string {
  const others = ['core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map(
    (name) => `@kubb/${name}@${peerVersions['@kubb/plugin-zod']}`,
  )
  return installPeer('@kubb/plugin-zod', [...others, 'typescript@5.9.3'])
}

/** Lists the peers whose newest version on npm is not the one that was measured, with its date. */
export function listOutdatedPeers(): void {
  const rows = Object.entries(peerVersions).map(([name, measured]) => {
    const { version: newest, time } = lookUp(name)
    return [name, { measured, newest, published: time[newest]?.slice(0, 10) ?? 'unknown' }] as const
  })
  const behind = rows.filter(([, { measured, newest }]) => measured !== newest)
  if (behind.length === 0)
    console.log(`All ${rows.length} peers were measured at their newest version.`)
  else console.table(Object.fromEntries(behind))
}

type PackageMetadata = { readonly version: string; readonly time: Readonly<Record<string, string>> }

function lookUp(name: string): PackageMetadata {
  const { status, stdout, stderr } = spawnSync('npm', ['view', name, 'version', 'time', '--json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm view ${name} failed: ${stderr.trim()}`)
  return JSON.parse(stdout) as PackageMetadata
}
