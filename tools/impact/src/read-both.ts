import { VersionError, readVersion, type Contract } from '@farebox/spec-diff'

export type Both = { readonly base: Contract; readonly head: Contract }

export type ReadBothOptions = {
  /** The document within a revision, relative to `cwd`. */
  readonly spec: string
  readonly cwd: string
  readonly allowRefs: boolean
  readonly warn: (message: string) => void
}

/**
 * Both versions of a contract. The older one was released as it is, so its faulty parts are left
 * out with a warning.
 *
 * @throws VersionError if one of them cannot be read.
 */
export async function readBoth(
  from: string,
  to: string,
  { warn, ...options }: ReadBothOptions,
): Promise<Both> {
  const base = required(await readVersion(from, { ...options, onFaults: warn }), from, options.spec)
  return { base, head: required(await readVersion(to, options), to, options.spec) }
}

function required(contract: Contract | undefined, version: string, spec: string): Contract {
  if (contract === undefined)
    throw new VersionError(`${version} does not hold ${spec}. Name the document with --spec.`)
  return contract
}
