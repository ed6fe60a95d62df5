import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { installTarballs } from '@farebox/release/install-packed'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

/**
 * No container engine is needed: the steps of the Dockerfile run here, in a folder for each stage,
 * on the tarballs of this tree and with the npm packages that it has.
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

type Instruction = readonly [name: string, rest: string]
type Image = {
  readonly folder: string
  workdir: string
  user: string
  health: readonly string[]
  command: readonly string[]
} & {
  readonly environment: Record<string, string>
}

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [[name, rest] as const]
  })
}

/** Builds the last stage. An instruction that is not known here fails. */
function build(instructions: readonly Instruction[]): Image {
  const images = new Map<string, Image>()
  let image: Image | undefined
  for (const [name, rest] of instructions) {
    if (name === 'FROM') {
      const [, stage = 'final'] = /^node:\d+-bookworm-slim(?: AS (\w+))?$/.exec(rest) ?? []
      image = {
        folder: join(folder, stage),
        workdir: '/',
        user: '0',
        health: [],
        command: [],
        environment: {},
      }
      mkdirSync(image.folder)
      images.set(stage, image)
    } else if (image) perform(image, images, name, rest)
  }
  if (!image) throw new Error('There is no FROM.')
  return image
}

function perform(
  image: Image,
  images: ReadonlyMap<string, Image>,
  name: string,
  rest: string,
): void {
  const inside = (path: string) => join(image.folder, path)
  if (name === 'WORKDIR') mkdirSync(inside((image.workdir = rest)), { recursive: true })
  else if (name === 'USER') image.user = rest
  else if (name === 'ENTRYPOINT') image.command = JSON.parse(rest) as string[]
  else if (name === 'CMD') image.command = [...image.command, ...(JSON.parse(rest) as string[])]
  else if (name === 'HEALTHCHECK')
    image.health = JSON.parse(rest.slice(rest.indexOf('['))) as string[]
  else if (name === 'ENV' || name === 'ARG')
    for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g))
      image.environment[key] = value
  else if (name === 'RUN') {
    const env = {
      ...process.env,
      ...image.environment,
      PATH: [npm(), process.env['PATH']].join(delimiter),
    }
    execFileSync('sh', ['-ec', rest.replaceAll(/(?<=\s)\/(?=app|data)/g, `${image.folder}/`)], {
      cwd: inside(image.workdir),
      env,
    })
  } else if (name === 'COPY') {
    const [, stage = '', from = '', to = ''] =
      /^--from=(\w+)(?: --chown=1000:1000)? (\S+) (\S+)$/.exec(rest) ?? []
    const source = join(images.get(stage)?.folder ?? '', from)
    cpSync(source, inside(to), { recursive: true, verbatimSymlinks: true })
  } else expect(['VOLUME', 'EXPOSE', 'STOPSIGNAL']).toContain(name)
}

/** An npm that installs what is packed, as this version is not in the registry yet. */
function npm(): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh\n[ "$*" = "install --omit=dev --no-audit --no-fund @farebox/service@latest secp256k1@5.0.2" ] && cp -RP ${packed}/node_modules .\n`
  writeFileSync(join(bin, 'npm'), script, { mode: 0o755 })
  return bin
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

it('the steps of the Dockerfile make a service that runs without root on a read-only tree, and is healthy', async () => {
  chmodSync(folder, 0o755)
  const image = build(instructionsOf(readFileSync(dockerfile, 'utf8')))
  expect(image.user).toBe('1000:1000')
  const data = join(image.folder, 'data')
  const place = (text: string) => text.replace(/^\/(?=app|data)/, `${image.folder}/`)
  const user = owned(data)
  execFileSync('chmod', ['-R', 'a-w', join(image.folder, 'app')])
  ends.push(() => execFileSync('chmod', ['-R', 'u+w', join(image.folder, 'app')]))

  const port = String(await freePort())
  const env = {
    ...image.environment,
    PATH: process.env['PATH'],
    FAREBOX_PORT: port,
    FAREBOX_DATA: place(image.environment['FAREBOX_DATA'] ?? ''),
    FAREBOX_NO_WALLETS: '1',
  }
  const [command = '', ...args] = image.command.map(place)
  expect(command).toBe('node')
  const run = (name: string, rest: readonly string[]) =>
    spawn(name === 'node' ? process.execPath : name, rest, {
      cwd: join(image.folder, image.workdir),
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      ...user,
    })
  const service = run(command, args)
  ends.push(() => void service.kill('SIGKILL'))
  const begun = await Promise.race([
    once(service.stdout, 'data').then(String),
    once(service, 'exit'),
  ])
  expect(begun).toContain('listening')
  const [healthCommand = '', ...healthArgs] = image.health
  expect(await once(run(healthCommand, healthArgs), 'exit')).toEqual([0, null])
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  expect(readdirSync(data)).toContain('pglite')
  expect(await once(run(healthCommand, healthArgs), 'exit')).toEqual([1, null])
})
