import { tools, type ObjectSchema, type Tool } from '@farebox/mcp'
import { operations, prices, type Operation, type OperationId } from '@farebox/types/operations'
import { UsageError } from '../command.js'

export type Offer = {
  readonly readOnly: boolean
  /** The names of the tools. Default: those of `isForAgents`. */
  readonly only?: readonly string[]
  readonly hasFolder: boolean
  /** Whether a credential for the operation is set. */
  readonly canCall: (id: OperationId) => boolean
}

export type OfferedTool = Tool & { readonly name: OperationId }

/**
 * The tools of the contract that this server offers. Inputs that the server fills in are removed.
 * Throws `UsageError`.
 */
export function selectTools({ readOnly, only, hasFolder, canCall }: Offer): readonly OfferedTool[] {
  const unknown = only?.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    throw new UsageError(
      `--tools names ${JSON.stringify(unknown)}; expected some of ${tools.map(({ name }) => name).join(', ')}.`,
    )
  }
  return tools
    .filter(isOperationTool)
    .filter(({ name }) =>
      only === undefined ? isForAgents(findOperation(name)) : only.includes(name),
    )
    .filter(({ annotations }) => !readOnly || annotations.readOnlyHint)
    .filter(({ name }) => canCall(name))
    .map((tool) => adaptTool(tool, hasFolder))
}

/** The fields of an operation that accept a file. */
export function listFileFields(id: OperationId): readonly string[] {
  return findOperation(id).body?.files ?? []
}

/** Whether a successful response may be bytes. */
function returnsBytes(id: OperationId): boolean {
  const { kind, kinds = [] } = findOperation(id).responses['200'] ?? {}
  return [kind, ...kinds].includes('binary')
}

function isForAgents(operation: Operation): boolean {
  return !isForPeople(operation) && !isForPrograms(operation)
}

/**
 * Whether no agent gets it unless it is named: its secret would stay in the conversation, or it
 * needs an ADMIN key, and text that an agent reads must not affect limits and keys.
 */
function isForPeople({ secretResponse, requires }: Operation): boolean {
  return secretResponse === true || requires !== undefined
}

/** Whether a text model does the work. An agent is one itself, so it gets such a tool only by name. */
function isForPrograms({ responses }: Operation): boolean {
  const { kind, kinds = [] } = responses['200'] ?? {}
  return [kind, ...kinds].includes('stream')
}

function findOperation(id: OperationId): Operation {
  return operations[id]
}

function isOperationTool(tool: Tool): tool is OfferedTool {
  return tool.name in operations
}

function adaptTool(tool: OfferedTool, hasFolder: boolean): OfferedTool {
  const { inputSchema, name } = tool
  const {
    properties: fieldSchemas,
    required: requiredFields,
    ...others
  } = inputSchema as ObjectSchema & {
    readonly properties?: Readonly<Record<string, object>>
    readonly required?: readonly string[]
  }
  if (findOperation(name).billing === 'payment') {
    const amountUsd = {
      description: 'How much to buy, in USD. The wallet signs one payment of exactly this amount.',
      type: 'number',
      minimum: prices.minimumTopUpUsd,
    }
    const description =
      'Buys credit for the wallet of this server with one signed payment in USDC. It counts against the caps on spending.'
    return {
      ...tool,
      description,
      inputSchema: { ...others, properties: { amountUsd }, required: ['amountUsd'] },
    }
  }
  const files = hasFolder ? listFileFields(name) : []
  // a model has no wallet that could sign one
  const { paymentSignature: _signature, ...fields } = fieldSchemas ?? {}
  const properties = {
    ...fields,
    ...(fieldSchemas?.['queue_id'] !== undefined && {
      wait: {
        description:
          'Wait until the video is complete, and return it. The server reports progress. Default: return the status at once.',
        type: 'boolean',
      },
    }),
    ...Object.fromEntries(
      files.map((field) => [
        `${field}Path`,
        {
          description: `The name of the file in the folder of this server, instead of \`${field}\`.`,
          type: 'string',
        },
      ]),
    ),
    ...(hasFolder &&
      returnsBytes(name) && {
        saveAs: {
          description:
            'The name of the file to create in the folder of this server. An existing file is not overwritten.',
          type: 'string',
        },
      }),
  }
  // the server fills in its own wallet
  const required = (requiredFields ?? []).filter(
    (field) => !files.includes(field) && field !== 'walletAddress',
  )
  return {
    ...tool,
    inputSchema: { ...others, properties, ...(required.length > 0 && { required }) },
  }
}
