import type { DocumentEmitter } from '../emit/emitter.js'
import { arbitraries } from './arbitraries.js'
import { check } from './check.js'
import { client, clientWith } from './client.js'
import { docs } from './docs.js'
import { document } from './document.js'
import { mcp } from './mcp.js'
import { msw } from './msw.js'
import { pages } from './pages.js'
import { paths } from './paths.js'
import { queries } from './queries.js'
import { server } from './server.js'
import { table } from './table.js'
import { typesWith } from './types/enum-constants.js'
import { zod, zodWith } from './zod.js'

/** The outputs with a package in the repository of Farebox. */
const published: readonly DocumentEmitter[] = [
  typesWith(),
  zod,
  client,
  paths,
  table,
  arbitraries,
  mcp,
  document,
  check,
]

/** Every output. A new one is a file beside this one and a line here. */
export const emitters: readonly DocumentEmitter[] = [
  ...published,
  server,
  queries,
  pages,
  msw,
  docs,
]

/**
 * The outputs of the layout `packages`. The package of the validators also has an entry with their
 * smallest flavour, and the client leaves credentials to middleware.
 */
export const outputsHere: readonly DocumentEmitter[] = [
  ...published.map((emitter) =>
    emitter === client ? clientWith({ bare: true, formsApart: true }) : emitter,
  ),
  { ...zodWith({ flavour: 'core' }), into: 'packages/zod/src/core/generated' },
]
