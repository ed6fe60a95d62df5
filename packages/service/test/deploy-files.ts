import { readFileSync } from 'node:fs'
import { parse, parseAllDocuments } from 'yaml'

type Environment = Readonly<Record<string, string>>

/** How one of the files in `deploy/` starts the service. */
export type Deployment = {
  /** With the settings that are commented out in the file. */
  readonly environment: Environment
  /** Where the service finds files of the operator. */
  readonly mounts: readonly string[]
}

const read = (file: string) => readFileSync(new URL(`../deploy/${file}`, import.meta.url), 'utf8')

/** Uncomments the settings that are not for everyone. */
function withOptions(text: string): string {
  return text.replaceAll(
    /^( *)# (?=(?:FAREBOX_\w+: |- \{ name: FAREBOX_|Environment=FAREBOX_))/gm,
    '$1',
  )
}

type Compose = {
  readonly services: {
    readonly farebox: { readonly environment: Environment; readonly volumes: readonly string[] }
  }
}

function readCompose(): Deployment {
  const { farebox } = (parse(withOptions(read('compose.yaml'))) as Compose).services
  const entries = Object.entries(farebox.environment).map(([name, value]) => {
    // ${NAME:-default} and ${NAME:?}
    return [name, value.replaceAll(/\$\{\w+:(?:-([^}]*)|\?)\}/g, '$1')] as const
  })
  return {
    environment: { ...readImage(), ...Object.fromEntries(entries) },
    mounts: farebox.volumes.map((volume) => volume.split(':')[1] ?? ''),
  }
}

/** The variables of the image. */
export function readImage(): Environment {
  const line = /^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? ''
  return Object.fromEntries(line.split(' ').map((pair) => pair.split('=') as [string, string]))
}

type Manifest =
  | { readonly kind: 'Deployment'; readonly spec: { readonly template: { readonly spec: Pod } } }
  | { readonly kind: 'Service'; readonly metadata: { readonly name: string } }
type Pod = {
  readonly enableServiceLinks?: boolean
  readonly containers: readonly {
    readonly env: readonly {
      readonly name: string
      readonly value?: string
      readonly valueFrom?: { readonly secretKeyRef: { readonly name: string } }
    }[]
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
  readonly volumes: readonly { readonly name: string }[]
}

function readKubernetes(): Deployment {
  const documents = parseAllDocuments(withOptions(read('kubernetes/farebox.yaml')))
  const manifests = documents.map((document) => document.toJS() as Manifest)
  const pod = manifests.find((manifest) => manifest.kind === 'Deployment')?.spec.template.spec
  const [container] = pod?.containers ?? []
  const entries = container?.env.map(({ name, value, valueFrom }) => {
    return [name, value ?? `postgres://${valueFrom?.secretKeyRef.name}/farebox`] as const
  })
  const volumes = new Set(pod?.volumes.map(({ name }) => name))
  // a pod gets variables for each Service, named after it, which win over those of its image
  const links = manifests.flatMap((manifest) => {
    if (manifest.kind !== 'Service' || pod?.enableServiceLinks === false) return []
    const prefix = manifest.metadata.name.toUpperCase().replaceAll('-', '_')
    return [[`${prefix}_PORT`, 'tcp://10.0.0.1:80'] as const]
  })
  return {
    environment: { ...readImage(), ...Object.fromEntries([...links, ...(entries ?? [])]) },
    mounts: (container?.volumeMounts ?? []).flatMap(({ name, mountPath }) =>
      volumes.has(name) ? mountPath : [],
    ),
  }
}

/** `%d` is the folder of the credentials. */
function readUnit(): Deployment {
  const lines = withOptions(read('farebox.service')).split('\n')
  const readValues = (name: string) =>
    lines.flatMap((line) => (line.startsWith(`${name}=`) ? line.slice(name.length + 1) : []))
  const pairs = readValues('Environment').flatMap((line) => line.split(' '))
  return {
    environment: Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])),
    mounts: [
      '/etc/farebox',
      ...readValues('LoadCredential').map((credential) => `%d/${credential.split(':')[0]}`),
    ],
  }
}

export const deployments: Readonly<Record<string, () => Deployment>> = {
  'compose.yaml': readCompose,
  'kubernetes/farebox.yaml': readKubernetes,
  'farebox.service': readUnit,
}
