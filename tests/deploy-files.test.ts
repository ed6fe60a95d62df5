import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { createTemporaryFolder } from './temporary-folder.js'
import { root } from './tree.js'

const { folder, remove } = createTemporaryFolder('deploy-files')
afterAll(remove)
const deploy = join(root, 'packages/service/deploy')
const read = (file: string) => readFileSync(join(deploy, file), 'utf8')

describe('the deployment files', () => {
  const files = [
    'Dockerfile',
    'balancers/Caddyfile',
    'balancers/haproxy.cfg',
    'balancers/nginx.conf',
    'compose.yaml',
    'farebox.service',
    'kubernetes/farebox.yaml',
  ]
  const lifeMs = { settlement: 70, inFlight: 30 }

  it('use variables, flags, paths and ports that exist', () => {
    const help = execFileSync(
      process.execPath,
      [join(root, 'packages/service/dist/bin.js'), '--help'],
      { encoding: 'utf8' },
    )
    const found = readdirSync(deploy, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.dockerignore'))
      .map((entry) => relative(deploy, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      // the alerts and the dashboard have tests of their own
      .filter((file) => !file.startsWith('observability/'))
    expect(found.toSorted()).toEqual(files)
    for (const file of files) {
      const text = read(file).replaceAll('FAREBOX_NAME', '')
      for (const [name] of text.matchAll(/\bFAREBOX_\w+/g))
        expect(help, `${name} of ${file}`).toMatch(new RegExp(`\\b${name}\\b`))
      for (const [, port] of text.matchAll(
        /\b(?:containerPort: |127\.0\.0\.1:|10\.0\.0\.\d+:|EXPOSE )(\d+)/g,
      ))
        // of the service, and of the operator
        expect(['4020', '4021'], file).toContain(port)
      for (const [, path] of text.matchAll(/path: (\/\w+)/g))
        expect(['/healthz', '/readyz']).toContain(path)
    }
    expect(help).toContain('default: 4020')
    expect(help).toMatch(/^ {2}serve /m)
  })

  it('have manifests whose parts fit together', () => {
    const documents = parseAllDocuments(read('kubernetes/farebox.yaml'))
    for (const { errors } of documents) expect(errors).toEqual([])
    const [deployment, service, budget] = documents.map((one) => one.toJS() as unknown) as [
      Deployment,
      Service,
      Budget,
    ]
    const { replicas, selector, template } = deployment.spec
    expect([template.metadata.labels, service.spec.selector]).toEqual([
      selector.matchLabels,
      selector.matchLabels,
    ])
    expect(budget.spec.selector).toEqual(selector)
    expect(budget.spec.minAvailable).toBeLessThan(replicas)
    const [container] = template.spec.containers
    if (!container) throw new Error('There is no container.')
    expect(container.ports.map(({ name }) => name)).toEqual([service.spec.ports[0]?.targetPort])
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true })
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
    const { readinessProbe, livenessProbe, env } = container
    expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).toEqual([
      '/readyz',
      '/healthz',
    ])
    const drain = Number(env.find(({ name }) => name === 'FAREBOX_DRAIN_SECONDS')?.value)
    expect(drain).toBeGreaterThan(readinessProbe.periodSeconds * readinessProbe.failureThreshold)
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      drain + lifeMs.inFlight + lifeMs.settlement,
    )
    const secret = env.flatMap(({ name, valueFrom }) => (valueFrom ? [name] : []))
    // the others are files
    expect(secret).toEqual(['FAREBOX_DATABASE_URL'])
  })

  it('have a Compose file whose service waits for its database, with a read-only root', () => {
    const { services, volumes } = parse(read('compose.yaml')) as {
      services: Record<string, Record<string, unknown>>
      volumes: Record<string, unknown>
    }
    expect(services['farebox']).toMatchObject({
      build: '.',
      read_only: true,
      stop_grace_period: '120s',
      cap_drop: ['ALL'],
    })
    expect(Object.keys(services['farebox']?.['depends_on'] as object)).toEqual(['database'])
    expect(Object.keys(volumes)).toEqual(['database'])
    expect(read('compose.yaml')).not.toMatch(/PASSWORD: [a-z]|KEY: [a-z]/)
  })

  it('have a unit that systemd accepts', () => {
    const unit = join(folder, 'farebox.service')
    writeFileSync(
      unit,
      read('farebox.service').replace('ExecStart=farebox-service', `ExecStart=${process.execPath}`),
    )
    expect(read('farebox.service')).toMatch(/^TimeoutStopSec=120s$/m)
    const found = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
    // not every machine has the program
    if (found.error === undefined)
      expect(found.stderr.split('\n').filter((line) => line.includes(basename(unit)))).toEqual([])
  })
})

type Service = {
  readonly spec: {
    readonly selector: unknown
    readonly ports: readonly { readonly targetPort: string }[]
  }
}
type Budget = { readonly spec: { readonly selector: unknown; readonly minAvailable: number } }
type Container = {
  readonly ports: readonly { readonly name: string }[]
  readonly securityContext: unknown
  readonly env: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: unknown
  }[]
  readonly readinessProbe: {
    readonly httpGet: { readonly path: string }
    readonly periodSeconds: number
    readonly failureThreshold: number
  }
  readonly livenessProbe: { readonly httpGet: { readonly path: string } }
}
type Deployment = {
  readonly spec: {
    readonly replicas: number
    readonly selector: { readonly matchLabels: unknown }
    readonly template: {
      readonly metadata: { readonly labels: unknown }
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly securityContext: unknown
        readonly containers: readonly Container[]
      }
    }
  }
}
