/** A schema of zod, of any flavour, or anything else that validates so. */
export type ItemSchema = {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly error?: unknown }
}

/** An item that its schema rejects. `cause` is the error of the schema. */
export class InvalidItemError extends Error {
  override readonly name = 'InvalidItemError'
  /** The item, as it arrived. */
  declare readonly item: unknown

  constructor(item: unknown, cause: unknown) {
    super('An item of the response is not as the contract declares it.', { cause })
    Object.assign(this, { item })
  }
}

/**
 * The items of a response, each validated before it is handed over. The first invalid one cancels
 * the response and throws `InvalidItemError`. Take the schema from the validators of the operation.
 */
export async function* validated<Item>(
  items: AsyncIterable<Item>,
  schema: ItemSchema,
): AsyncGenerator<Item, undefined> {
  for await (const item of items) {
    const { success, error } = schema.safeParse(item)
    if (!success) throw new InvalidItemError(item, error)
    yield item
  }
}
