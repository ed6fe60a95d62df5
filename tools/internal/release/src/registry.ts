import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, serve } from '@farebox/testing/commands'
import { findFreePort } from '@farebox/testing/start-listening'
import { installPackage } from '@farebox/testing/install-package'

/** A registry that runs. `env` makes npm use it. */
export type Registry = {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

/** Starts an empty registry on a free loopback port, with npm for all other packages. */
export async function startRegistry(work: string): Promise<Registry> {
  // the newest that runs on Node 20; it asks for a tag of node-fetch that not every registry serves
  const verdaccio = installPackage('verdaccio', '6.8.0', [], { 'node-fetch': '^2.7.0' })
  const home = join(work, 'registry')
  mkdirSync(home)
  const config = join(home, 'config.json')
  const [upstream] = /^https?:\S+$/m.exec(await run('npm', ['config', 'get', 'registry'])) ?? []
  const open = { access: '$all', publish: '$all' }
  writeFileSync(
    config,
    JSON.stringify({
      storage: join(home, 'storage'),
      uplinks: { npm: { url: upstream, timeout: '60s', maxage: '30m' } },
      // our packages come from here alone; those that npm may have under these names must not
      // replace them
      packages: { farebox: open, '@farebox/*': open, '**': { access: '$all', proxy: 'npm' } },
      log: { type: 'stdout', level: 'warn' },
      web: { enable: false },
      max_body_size: '50mb',
    }),
  )
  const port = await findFreePort()
  const { stop } = await serve(
    process.execPath,
    [join(verdaccio, 'bin', 'verdaccio'), '--config', config, '--listen', `127.0.0.1:${port}`],
    /http address.*?(http:\/\/127)/,
  )
  const url = `http://127.0.0.1:${port}/`
  const npmrc = join(work, 'npmrc')
  // npm publishes only for a user who is logged in; the registry accepts any token
  writeFileSync(
    npmrc,
    `registry=${url}\n//127.0.0.1:${port}/:_authToken=anybody\nprefer-online=true\naudit=false\nfund=false\nupdate-notifier=false\n`,
  )
  const env = {
    NPM_CONFIG_USERCONFIG: npmrc,
    NPM_CONFIG_CACHE: join(work, 'npm-cache'),
    NPM_CONFIG_REGISTRY: url,
  }
  return { url, env, stop }
}
