import type { OperatorSources } from '../http/operator-api/handler-types.js'
import type { OperatorApi, OperatorApiOptions } from '../http/operator-api/operator-api.js'
import type { ServiceOptions } from './service-options.js'

type Parts = Omit<OperatorSources, 'allowsChanges'> & Pick<OperatorApiOptions, 'onError'> & { readonly id: () => string }

/** The API of the operator over the parts of a service. Without a key, none is loaded. */
export async function startOperator(
  { operatorKey, operatorChanges = false, onOperatorChange }: Pick<ServiceOptions, 'operatorKey' | 'operatorChanges' | 'onOperatorChange'>,
  { id, ...parts }: Parts,
): Promise<OperatorApi> {
  if (operatorKey === undefined)
    return async () => Response.json({ error: 'There is no operator key.', code: 'NOT_FOUND' }, { status: 404 })
  const { createOperatorApi } = await import('../http/operator-api/operator-api.js')
  const { operatorPage } = await import('../http/operator-api/page/operator-page.js')
  return createOperatorApi({
    ...parts,
    operatorKey,
    allowsChanges: operatorChanges,
    pages: { '/': operatorPage },
    requestId: id,
    onChange: (change) => onOperatorChange?.(change),
  })
}
