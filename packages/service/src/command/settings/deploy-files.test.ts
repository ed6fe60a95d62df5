import { readArguments } from '@farebox/command-line'
import { expect, it } from 'vitest'
import { deployments, type Deployment } from '../../../test/deploy-files.js'
import { program, toVariableName } from './program.js'
import { readSettings } from './settings.js'

const known = new Set(
  program.flags.flatMap(({ name }) => [
    toVariableName(name),
    toVariableName(name.replace(/-file$/, '')),
  ]),
)

function readDeployment({ environment, mounts }: Deployment) {
  const invocation = readArguments(program, ['serve'], { environment })
  if ('show' in invocation) throw new Error('It shows a text.')
  const files: string[] = []
  const settings = readSettings(invocation.arguments, environment, (file) => {
    files.push(file)
    return 'a-secret-of-the-test'
  })
  const { catalogue, upstreams } = settings
  if (catalogue !== undefined) files.push(catalogue)
  if ('file' in upstreams) files.push(upstreams.file)
  const isMounted = (file: string) =>
    mounts.some((mount) => file === mount || file.startsWith(`${mount}/`))
  return { settings, missing: files.filter((file) => !isMounted(file)) }
}

it.each(Object.entries(deployments))(
  '%s names settings that exist, and mounts what they name',
  (_file, read) => {
    const deployment = read()
    const names = Object.keys(deployment.environment).filter((name) => name.startsWith('FAREBOX_'))
    expect(names.filter((name) => !known.has(name))).toEqual([])
    const { settings, missing } = readDeployment(deployment)
    expect(missing).toEqual([])
    expect(settings).toMatchObject({
      command: 'serve',
      adminKey: 'a-secret-of-the-test',
      metricsKey: 'a-secret-of-the-test',
      operator: { port: 4021, key: 'a-secret-of-the-test', changes: false },
      trustedProxies: [expect.any(String)],
      wallets: false,
      upstreams: { file: '/etc/farebox/upstreams.yml' },
      catalogue: '/etc/farebox/catalogue.yml',
    })
  },
)
