import type { Operation, OperationId } from '@farebox/types/operations'
import { failure } from '../contract/failures.js'
import type { Services } from '../contract/handler.js'
import { credentialsRequired } from '../contract/payment-required.js'
import {
  readAddress,
  authenticate,
  noWallets,
  readSignIn,
  type AccessOptions,
} from '../domain/accounts/authenticate.js'
import type { Admission } from './admission.js'
import { HttpError } from './http-error.js'
import type { RequestContext } from './request-context.js'

export type Identification = {
  /** Sets the caller of the request. Throws for credentials that are not accepted. */
  readonly identify: (
    request: Request,
    operation: Operation,
    requestContext: RequestContext,
  ) => Promise<void>
  /** Throws when the operation needs credentials and the request has none. */
  readonly requireCredentials: (
    operation: Operation,
    requestContext: RequestContext,
  ) => Promise<void>
}

export type IdentificationOptions = {
  readonly access: AccessOptions
  readonly admission: Admission
  readonly terms: Services['terms']
}

/** Finds out who sends a request. */
export function createIdentification({
  access,
  admission,
  terms,
}: IdentificationOptions): Identification {
  return { identify, requireCredentials }

  /**
   * A refused sign-in counts against its network address, since the message may be stolen. Nothing
   * is verified while that address, or the wallet that the message names, is blocked.
   */
  async function identify(
    request: Request,
    operation: Operation,
    requestContext: RequestContext,
  ): Promise<void> {
    const signIn = readSignIn(request, operation)
    const refused = `sign-in ${requestContext.callerId}`
    if (signIn !== undefined) {
      admission.screen(requestContext, refused)
      admission.screen(requestContext, readAddress(signIn) ?? refused)
    }
    try {
      requestContext.caller = await authenticate(request, operation, access)
    } catch (error) {
      if (signIn !== undefined) requestContext.callerId = refused
      await admission.admit(requestContext, operation.rateLimit)
      throw error
    }
    const { caller } = requestContext
    if (caller.kind === 'anonymous') return
    requestContext.callerId = caller.account
    if (caller.kind !== 'key') return
    if (caller.partner) requestContext.rateTier = 'partner'
    const key = `key ${caller.keyId ?? caller.account}`
    // administration has counts of its own, since it is what helps against a key that fails
    if (operation.requires === 'ADMIN') requestContext.callerId = `administration ${caller.account}`
    const within = operation.requires === 'ADMIN' ? `administration ${key}` : key
    requestContext.parties = [within, requestContext.callerId]
  }

  async function requireCredentials(
    { id, security }: Operation,
    { caller }: RequestContext,
  ): Promise<void> {
    if (caller.kind !== 'anonymous' || security.some((schemes) => schemes.length === 0)) return
    const schemes = security.flat()
    if (!access.wallets && schemes.includes('siwx'))
      throw new HttpError(failure(401, noWallets, 'AUTHENTICATION_FAILED'))
    if (!schemes.includes('BearerAuth')) {
      throw new HttpError(
        failure(
          401,
          'The wallet authentication is missing. Send the header SIGN-IN-WITH-X.',
          'X402_SIGN_IN_MISSING',
        ),
      )
    }
    if (!schemes.includes('siwx')) {
      throw new HttpError(
        failure(
          401,
          'The API key is missing. Send it as "Authorization: Bearer <API_KEY>".',
          'AUTHENTICATION_FAILED',
        ),
      )
    }
    throw new HttpError(await credentialsRequired(terms, id as OperationId))
  }
}
