import { expected, UsageError, type Arguments, type Flag } from '@farebox/command-line'
import type { Settings } from '../config/config.js'
import { isUrl } from '../document/read-input.js'
import { discriminatorModes } from '../document/discriminators/tag-schemas.js'
import { filterForms, readFilter } from '../select/filter.js'

type Name = 'overlay' | 'include' | 'exclude' | 'prune' | 'header-env' | 'discriminator'

/** The options for the input, and for the parts of it to generate. */
export const inputFlags: readonly Flag<Name>[] = [
  {
    name: 'overlay',
    kind: 'text',
    value: 'FILE',
    help: 'change the document by an overlay (OpenAPI Overlay 1.0 to 1.2) first',
    many: true,
  },
  { name: 'include', kind: 'text', value: 'FILTER', help: `generate only the operations that match: ${filterForms}`, many: true },
  { name: 'exclude', kind: 'text', value: 'FILTER', help: 'leave away the operations that match', many: true },
  { name: 'prune', kind: 'switch', help: 'leave away components that no operation needs, as --include and --exclude do' },
  {
    name: 'header-env',
    kind: 'text',
    value: 'NAME=VARIABLE',
    help: 'send a header with the value of an environment variable when the document is a URL',
    many: true,
  },
  {
    name: 'discriminator',
    kind: 'text',
    value: 'MODE',
    help: 'whether a discriminator is a hint, or selects the schema by which a value is validated (default: json-schema)',
    choices: discriminatorModes,
  },
]

/** These options as settings; one that is not given is left out. Throws `UsageError`. */
export function readInputFlags(given: Arguments<Name>): Settings {
  const filters = (name: 'include' | 'exclude'): readonly string[] => {
    for (const text of given.all(name)) if (readFilter(text) === undefined) throw expected(`--${name}`, text, filterForms)
    return given.all(name)
  }
  const lists = { overlays: given.all('overlay'), include: filters('include'), exclude: filters('exclude') }
  const headersFromEnv = Object.fromEntries(given.all('header-env').map(headerOf))
  const discriminator = given.choice('discriminator', discriminatorModes)
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(Object.keys(headersFromEnv).length > 0 && { headersFromEnv }),
    ...(given.has('prune') && { prune: true }),
    ...(discriminator !== undefined && { discriminator }),
  }
}

/** What of these options changes the output, as it stands in a command line. */
export function writtenInput(given: Arguments<Name>): string {
  const repeated = (['overlay', 'include', 'exclude'] as const).flatMap((name) =>
    given.all(name).map((text) => ` --${name} ${quoted(text)}`),
  )
  const openapi = given.text('discriminator') === 'openapi'
  return [...repeated, given.has('prune') ? ' --prune' : '', openapi ? ' --discriminator openapi' : ''].join('')
}

/** Whether a document comes from elsewhere than a file. */
export function isStream(spec: string): boolean {
  return spec === '-' || isUrl(spec)
}

/** The query of a URL may hold a secret, and stays out of the output. */
export function withoutQuery(spec: string): string {
  return spec === '-' ? spec : `${new URL(spec).origin}${new URL(spec).pathname}`
}

/** Whether a header may go there: over TLS, or not beyond this machine. */
export function isPrivate(spec: string): boolean {
  if (!isUrl(spec) || !URL.canParse(spec)) return false
  const { protocol, hostname } = new URL(spec)
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
}

function headerOf(text: string): [string, string] {
  const [, name, variable] = /^([\w-]+)=(\w+)$/.exec(text) ?? []
  if (name === undefined || variable === undefined)
    throw new UsageError('--header-env: expected NAME=VARIABLE, such as authorization=API_AUTHORIZATION, and not the value itself.')
  return [name, variable]
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
