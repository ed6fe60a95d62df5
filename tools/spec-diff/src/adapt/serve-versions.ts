import type { Contract } from '../compare-api.js'
import { serveOlder, type Serve } from './serve-older.js'

export type VersionsOptions = {
  /** The version that the service implements. */
  readonly newest: Contract
  readonly older: readonly Contract[]
  readonly serve: Serve
  /**
   * The version that a caller is pinned to, as `info.version` has it, by a header or by its key.
   * Null: the newest one. Default: the header `contract-version`.
   */
  readonly versionOf?: (request: Request) => string | null | Promise<string | null>
}

/**
 * Serves several versions of a contract side by side, each caller the one that it is pinned to. A
 * version that is not served gets status 400, with those that are.
 *
 * @throws AdaptError for a body without a counterpart, as `serveOlder` does.
 */
export function serveVersions({
  newest,
  older,
  serve,
  versionOf = byHeader,
}: VersionsOptions): Serve {
  const served = new Map([
    [newest.api.version, serve],
    ...older.map((one) => [one.api.version, serveOlder(one, newest, serve)] as const),
  ])
  return async (request) => {
    const wanted = (await versionOf(request)) ?? newest.api.version
    const found = served.get(wanted)
    if (found !== undefined) return found(request)
    const expected = [...served.keys()].toSorted().join(' or ')
    return Response.json(
      { error: `This version of the contract is not served.`, found: wanted, expected },
      { status: 400 },
    )
  }
}

function byHeader({ headers }: Request): string | null {
  return headers.get('contract-version')
}
