import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { waitForExit, fareboxBin } from '../../test/farebox-command.js'

const folder = mkdtempSync(join(tmpdir(), 'farebox-no-service-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('says what to install if the service is missing', async () => {
  // a process of its own: NODE_PATH of the test runner would lead to the workspace
  const script = `import { findService } from ${JSON.stringify(new URL('./demo/local-service.js', pathToFileURL(fareboxBin)).href)}
      await findService([${JSON.stringify(pathToFileURL(join(folder, 'here')).href)}]).catch((error) => console.log(error.code, error.message))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect((await waitForExit(child)).stdout).toMatch(
    /^not_installed .* Run npm install @farebox\/service in this folder/,
  )
})
