import type * as zodMini from 'zod/mini'
import type { PageName } from './pages.js'

export type Parser = { readonly parse: (value: unknown) => unknown }

/**
 * Zod or zod/mini. Only what both spell alike is used, so that one text serves both.
 */
export type Zod = typeof zodMini

/**
 * The same schemas by hand. The objects of a document are open: a property that it does not name is
 * kept, so the like for like is `looseObject`.
 */
export function byHand(z: Zod, kind: 'looseObject' | 'object'): Readonly<Record<PageName, Parser>> {
  const object = z[kind]
  const whole = () => z.number().check(z.refine(Number.isInteger))
  return {
    Flat: object({
      data: z.array(
        object({
          id: z.string().check(z.minLength(1), z.maxLength(64)),
          kind: z.enum(['CHARGE', 'TOP_UP', 'BONUS', 'REFUND']),
          amount: z.number(),
          count: z.int().check(z.gte(0)),
          note: z.nullable(z.string()),
          closed: z.optional(z.boolean()),
          tags: z.array(z.string()).check(z.maxLength(10)),
        }),
      ),
    }),
    Formats: object({
      data: z.array(
        object({
          id: z.uuid(),
          createdAt: z.iso.datetime({ offset: true }),
          day: z.iso.date(),
          url: z.url(),
          email: z.email(),
          address: z.ipv4(),
        }),
      ),
    }),
    Union: object({
      data: z.array(
        z.discriminatedUnion('kind', [
          object({ kind: z.literal('card'), number: z.string(), last4: z.string() }),
          object({ kind: z.literal('cash'), amount: z.number(), coins: z.array(whole()) }),
        ]),
      ),
    }),
    Nested: object({
      data: z.array(
        object({
          id: whole(),
          owner: object({
            login: z.string().check(z.regex(/^[a-z0-9]+$/u)),
            site: z.url(),
            bio: z.optional(z.string()),
          }),
          lines: z.array(
            object({
              sku: z.string().check(z.maxLength(20)),
              price: z.number().check(z.gt(0)),
              state: z.enum(['open', 'sent']),
            }),
          ),
          labels: z.record(z.string(), z.string()),
        }),
      ),
    }),
  }
}
