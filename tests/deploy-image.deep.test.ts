import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@farebox/testing/commands'
import { findFreePort } from '@farebox/testing/start-listening'
import { afterAll, expect, it } from 'vitest'
import { createTemporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

/**
 * No container engine is needed: the instructions of the Dockerfile run in a folder, with the
 * tarballs of this tree as the build context and an empty HOME.
 */
const { folder, remove } = createTemporaryFolder('deploy-image')
const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
  remove()
})

const dockerfile = readFileSync(
  join(root, 'packages/service/deploy/Dockerfile'),
  'utf8',
).replaceAll(/\\\n\s*/g, ' ')

/** What the instructions of this name say, in order. */
function readAll(name: string): readonly string[] {
  return [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, text = '']) => text)
}

const readLast = (name: string) => readAll(name).at(-1) ?? ''

/** Replaces the folders of the image by those of this test. */
function place(text: string): string {
  return text.replaceAll(/(?<!\S)\/(?=(?:app|context|data)\b)/g, `${folder}/`)
}

/** Who runs the service: the user of the image, which a read-only tree stops, unlike root. */
const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

async function build(): Promise<void> {
  chmodSync(folder, 0o755)
  const [app, home] = [place('/app'), join(folder, 'home')]
  for (const each of [app, home]) mkdirSync(each)
  const tarballs = join(root, 'tools/internal/release/dist/tarballs.js')
  await run(process.execPath, [tarballs, place('/context'), '--packages', '@farebox/service'])
  const env = { PATH: process.env['PATH'], HOME: home }
  for (const instruction of readAll('RUN')) {
    const script = instruction.replace('--mount=type=bind,target=/context ', '')
    await run('sh', ['-ec', place(script)], { cwd: app, env, isBare: true })
  }
  expect(readAll('COPY')).toEqual([
    '--from=install /app /app',
    '--from=install --chown=1000:1000 /data /data',
  ])
  if (user.uid !== undefined) chownSync(place('/data'), user.uid, user.gid)
  execFileSync('chmod', ['-R', 'a-w', place('/app')])
  ends.push(() => execFileSync('chmod', ['-R', 'u+w', place('/app')]))
}

it('the image installs the tarballs, runs without root on a read-only tree, and is healthy', async () => {
  await build()
  expect(readLast('USER')).toBe('1000:1000')
  const variables = readLast('ENV')
    .split(' ')
    .map((pair) => pair.split('=').map(place) as [string, string])
  const env = {
    ...Object.fromEntries(variables),
    PATH: process.env['PATH'],
    FAREBOX_PORT: String(await findFreePort()),
    FAREBOX_NO_WALLETS: '1',
  }
  const start = (instruction: string) => {
    const [command, ...args] = JSON.parse(instruction) as string[]
    expect(command).toBe('node')
    return spawn(process.execPath, args.map(place), {
      cwd: place(readLast('WORKDIR')),
      env,
      ...user,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  const service = start(`${readLast('ENTRYPOINT').slice(0, -1)}, ${readLast('CMD').slice(1)}`)
  ends.push(() => void service.kill('SIGKILL'))
  const begun = await Promise.race([
    once(service.stdout, 'data').then(String),
    once(service, 'exit'),
  ])
  expect(begun).toContain('listening')
  const checkHealth = () => once(start(readLast('HEALTHCHECK').replace(/^.*? CMD /, '')), 'exit')
  expect(await checkHealth()).toEqual([0, null])
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  expect(readdirSync(place('/data'))).toContain('pglite')
  expect(await checkHealth()).toEqual([1, null])
})
