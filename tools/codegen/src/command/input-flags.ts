import { expected, UsageError, type Arguments, type Flag } from '@farebox/command-line'
import type { Settings } from '../config/config.js'
import { isUrl } from '../document/read-input.js'
import { semanticsModes } from '../document/semantics.js'
import { filterForms, readFilter } from '../select/select.js'

type Name =
  | 'overlay'
  | 'include'
  | 'exclude'
  | 'prune'
  | 'header-env'
  | 'semantics'
  | 'discriminator'

/** The flags for the input, and for the parts of it to generate. */
export const inputFlags: readonly Flag<Name>[] = [
  {
    name: 'overlay',
    kind: 'text',
    value: 'FILE',
    help: 'change the document by an overlay (OpenAPI Overlay 1.0 to 1.2) first',
    many: true,
  },
  {
    name: 'include',
    kind: 'text',
    value: 'FILTER',
    help: `generate only the operations that match: ${filterForms}`,
    many: true,
  },
  {
    name: 'exclude',
    kind: 'text',
    value: 'FILTER',
    help: 'leave out the operations that match',
    many: true,
  },
  {
    name: 'prune',
    kind: 'switch',
    help: 'leave out components that no operation needs, as --include and --exclude do',
  },
  {
    name: 'header-env',
    kind: 'text',
    value: 'NAME=VARIABLE',
    help: 'send a header with the value of an environment variable when the document is a URL',
    many: true,
  },
  {
    name: 'semantics',
    kind: 'text',
    value: 'MODE',
    help: 'read schemas as OpenAPI authors mean them, where discriminators select and properties without a type describe an object, or to the letter of JSON Schema (default: openapi)',
    choices: semanticsModes,
  },
  {
    name: 'discriminator',
    kind: 'text',
    value: 'MODE',
    help: 'the same for discriminators alone (default: that of --semantics)',
    choices: semanticsModes,
  },
]

/** The settings of these flags. A missing flag is left out. Throws `UsageError`. */
export function readInputFlags(args: Arguments<Name>): Settings {
  const filters = (name: 'include' | 'exclude'): readonly string[] => {
    for (const text of args.all(name))
      if (readFilter(text) === undefined) throw expected(`--${name}`, text, filterForms)
    return args.all(name)
  }
  const remote = args.all('overlay').find(isUrl)
  if (remote !== undefined) throw expected('--overlay', remote, 'a file')
  const lists = {
    overlays: args.all('overlay'),
    include: filters('include'),
    exclude: filters('exclude'),
  }
  const headersFromEnv = Object.fromEntries(args.all('header-env').map(parseHeader))
  const semantics = args.choice('semantics', semanticsModes)
  const discriminator = args.choice('discriminator', semanticsModes)
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(Object.keys(headersFromEnv).length > 0 && { headersFromEnv }),
    ...(args.has('prune') && { prune: true }),
    ...(semantics !== undefined && { semantics }),
    ...(discriminator !== undefined && { discriminator }),
  }
}

/** The flags that change the output, as written on a command line. */
export function formatInputFlags(args: Arguments<Name>): string {
  const repeated = (['overlay', 'include', 'exclude'] as const).flatMap((name) =>
    args.all(name).map((text) => ` --${name} ${quote(text)}`),
  )
  const modes = (['semantics', 'discriminator'] as const).map((name) => {
    const mode = args.text(name)
    return mode === undefined || (name === 'semantics' && mode === 'openapi')
      ? ''
      : ` --${name} ${mode}`
  })
  return [...repeated, args.has('prune') ? ' --prune' : '', ...modes].join('')
}

/** Whether a document is not a file. */
export function isStream(spec: string): boolean {
  return spec === '-' || isUrl(spec)
}

/** The query of a URL may hold a secret, and stays out of the output. */
export function stripQuery(spec: string): string {
  return spec === '-' ? spec : `${new URL(spec).origin}${new URL(spec).pathname}`
}

/** Whether a header may be sent there: over TLS, or not beyond this machine. */
export function mayReceiveSecrets(spec: string): boolean {
  if (!isUrl(spec) || !URL.canParse(spec)) return false
  const { protocol, hostname } = new URL(spec)
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

function parseHeader(text: string): [string, string] {
  const [, name, variable] = /^([\w-]+)=(\w+)$/.exec(text) ?? []
  if (name === undefined || variable === undefined)
    throw new UsageError(
      '--header-env: expected NAME=VARIABLE, such as authorization=API_AUTHORIZATION, and not the value itself.',
    )
  return [name, variable]
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
