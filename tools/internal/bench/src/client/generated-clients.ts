import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Size, measureSize } from '../bundled.js'
import { listGenerators, type RunId } from '../codegen/generators.js'
import { prepareFolder } from '../codegen/output.js'
import { root } from '../measure.js'

/** One call with a key, by the client that each generator writes. */
const programs: Partial<Record<RunId, string>> = {
  redocly: `import { client, quoteVideo } from './redocly/client.ts'
client.configure({ serverUrl: '/api/v1' })
client.auth.bearer('KEY')
export const call = (body) => quoteVideo({ body })
`,
  'hey-api': `import { client } from './hey-api/client.gen.ts'
import { quoteVideo } from './hey-api/sdk.gen.ts'
client.setConfig({ baseUrl: '/api/v1', auth: 'KEY' })
export const call = (body) => quoteVideo({ body })
`,
  orval: `import { quoteVideo } from './orval/client.ts'
export const call = (body) => quoteVideo(body, { headers: { authorization: 'Bearer KEY' } })
`,
  kubb: `import { quoteVideo } from './kubb/clients/quoteVideo.ts'
export const call = (body) => quoteVideo(body, { baseURL: '/api/v1', headers: { authorization: 'Bearer KEY' } })
`,
}

/** What one operation of our contract takes in a browser, by the clients of other generators. */
export async function measureGeneratedClients(
  place: string,
): Promise<Readonly<Record<string, Size>>> {
  const work = join(place, 'generated')
  const document = prepareFolder(join(root, 'spec/openapi.yaml'), work)
  const sizes: Record<string, Size> = {}
  for (const { id, name, command, node } of listGenerators(document, work)) {
    const program = programs[id]
    if (program === undefined) continue
    run(work, command, node)
    const [generator = name] = name.split(':')
    sizes[`${generator}: one POST, bearer`] = await measureSize(program, work, {
      platform: 'browser',
    })
  }
  return sizes
}

function run(cwd: string, command: readonly string[], node = process.execPath): void {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(node, command, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command.join(' ')} failed:\n${stderr || stdout}`)
}
