import type * as LocalBackends from '@farebox/local-backends'

/**
 * The test models that run in this process. They are an optional dependency, which an operator with
 * upstreams can leave out.
 */
export async function loadLocalBackends(): Promise<typeof LocalBackends> {
  try {
    return await import('@farebox/local-backends')
  } catch (cause) {
    throw new NoLocalBackendsError(cause)
  }
}

/** The package is not installed, or cannot be loaded. */
export class NoLocalBackendsError extends Error {
  override readonly name = 'NoLocalBackendsError'

  constructor(cause: unknown) {
    super(
      `There is no upstream for this, and the local test models cannot be loaded. Configure an upstream, or run npm install @farebox/local-backends beside the service. (${cause instanceof Error ? cause.message : String(cause)})`,
      { cause },
    )
  }
}

/** A failure of a local backend, as an `UpstreamError` takes it. */
export type LocalFault = {
  readonly code: LocalBackends.LocalBackendErrorCode
  /** For the caller. */
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
  /** For the log. */
  readonly trouble?: string
  readonly cause: unknown
}

/** Undefined for an error that no local backend throws. */
export function readLocalFault(error: unknown): LocalFault | undefined {
  if (error instanceof NoLocalBackendsError) {
    const message = 'The model is not available on this service.'
    return { code: 'busy', message, retryAfterSeconds: 60, trouble: error.message, cause: error }
  }
  return isLocalBackendError(error) ? { ...toFields(error), cause: error } : undefined
}

function toFields({ code, message, retryAfterSeconds }: LocalBackends.LocalBackendError) {
  return { code, message, retryAfterSeconds }
}

/** By its name, as the class is loaded late. */
function isLocalBackendError(error: unknown): error is LocalBackends.LocalBackendError {
  return error instanceof Error && error.name === 'LocalBackendError'
}
