import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { installTarballs } from '@farebox/release/install-packed'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

/**
 * No container engine is needed: the service starts as the Dockerfile says, in a folder with the
 * tarballs of this tree and the npm packages that it has.
 */
const { folder, remove } = temporaryFolder('deploy-image')
const members = [
  'service',
  'auth',
  'command-line',
  'local-backends',
  'middleware',
  'office-text',
  'types',
  'zod',
].map((name) => `packages/${name}`)
const packed = join(folder, 'packed')
const dockerfile = join(packed, 'node_modules/@farebox/service/deploy/Dockerfile')
beforeAll(async () => {
  mkdirSync(packed)
  await installTarballs(packed, members)
})
const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
  remove()
})

/** What the last instruction of this name says. */
function readInstruction(text: string, name: string): string {
  const found = [...text.replaceAll(/\\\n\s*/g, ' ').matchAll(new RegExp(`^${name} (.*)$`, 'gm'))]
  return found.at(-1)?.[1] ?? ''
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * The user of the image, where it can read this tree: a read-only tree does not stop root.
 */
function owned(path: string): { readonly uid?: number; readonly gid?: number } {
  const user = { uid: 1000, gid: 1000 }
  if (process.getuid?.() !== 0) return {}
  if (
    spawnSync(
      process.execPath,
      ['-e', `require('fs').readdirSync(${JSON.stringify(join(root, 'node_modules'))})`],
      user,
    ).status !== 0
  )
    return {}
  chownSync(path, user.uid, user.gid)
  return user
}

it('the image runs a service without root on a read-only tree, and is healthy', async () => {
  chmodSync(folder, 0o755)
  const text = readFileSync(dockerfile, 'utf8')
  const read = (name: string) => readInstruction(text, name)
  expect(read('USER')).toBe('1000:1000')
  expect(text).toContain('"@farebox/service@${SERVICE_VERSION}" secp256k1@5.0.2\n')
  expect(text).toContain('COPY --from=install --chown=1000:1000 /data /data\n')
  const [app, data] = [join(folder, 'app'), join(folder, 'data')]
  expect(read('WORKDIR')).toBe('/app')
  mkdirSync(app)
  mkdirSync(data, { mode: 0o700 })
  cpSync(join(packed, 'node_modules'), join(app, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  const user = owned(data)
  execFileSync('chmod', ['-R', 'a-w', app])
  ends.push(() => execFileSync('chmod', ['-R', 'u+w', app]))

  const place = (path: string) => path.replace(/^\/(?=app|data)/, `${folder}/`)
  const environment = Object.fromEntries(
    read('ENV')
      .split(' ')
      .map((pair) => pair.split('=')),
  ) as Record<string, string>
  const port = String(await freePort())
  const env = {
    ...environment,
    PATH: process.env['PATH'],
    FAREBOX_PORT: port,
    FAREBOX_DATA: place(environment['FAREBOX_DATA'] ?? ''),
    FAREBOX_NO_WALLETS: '1',
  }
  const run = (instruction: string) => {
    const [command, ...args] = JSON.parse(instruction) as string[]
    expect(command).toBe('node')
    const options = { cwd: app, env, ...user }
    return spawn(process.execPath, args.map(place), {
      ...options,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  const service = run(`${read('ENTRYPOINT').slice(0, -1)}, ${read('CMD').slice(1)}`)
  ends.push(() => void service.kill('SIGKILL'))
  const begun = await Promise.race([
    once(service.stdout, 'data').then(String),
    once(service, 'exit'),
  ])
  expect(begun).toContain('listening')
  const checkHealth = () => once(run(read('HEALTHCHECK').replace(/^.*? CMD /, '')), 'exit')
  expect(await checkHealth()).toEqual([0, null])
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  expect(readdirSync(data)).toContain('pglite')
  expect(await checkHealth()).toEqual([1, null])
})
