import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type PageName, schemas } from './schemas.js'
import { installPeer } from '../peer-versions.js'
import type * as zodMini from 'zod/mini'

/** Whether a value is valid. */
export type Verdict = (value: unknown) => boolean

type Peers = {
  readonly ajv: Verdict
  readonly typebox: Verdict
  readonly valibot: Verdict
}

/** Compiled validators of other projects for a page, and valibot by hand. */
export async function compilePeers(): Promise<(name: PageName) => Peers> {
  const ajvFolder = installPeer('ajv', ['ajv-formats@3.0.1'])
  const { Ajv2020 } = await load(ajvFolder, 'dist/2020.js')
  const { default: addFormats } = await load(join(ajvFolder, '../ajv-formats'), 'dist/index.js')
  const { Compile } = await load(installPeer('typebox'), 'build/schema/index.mjs')
  const valibot = await load(installPeer('valibot'), 'dist/index.mjs')
  const ajv = new Ajv2020({ strict: false, discriminator: true })
  ;(addFormats.default ?? addFormats)(ajv)
  const byHand = createValibotPages(valibot)
  return (name) => {
    const compiled = Compile(schemas[name])
    return {
      ajv: ajv.compile(schemas[name]) as Verdict,
      typebox: (value) => compiled.Check(value) as boolean,
      valibot: (value) => valibot.safeParse(byHand[name], value).success as boolean,
    }
  }
}

// oxlint-disable-next-line no-explicit-any -- packages that the tree does not depend on have no types here
async function load(folder: string, file: string): Promise<any> {
  return import(pathToFileURL(join(folder, file)).href)
}

// oxlint-disable-next-line no-explicit-any -- as above
function createValibotPages(v: any): Readonly<Record<PageName, unknown>> {
  const page = (item: unknown): unknown => v.looseObject({ data: v.array(item) })
  const whole = (): unknown => v.pipe(v.number(), v.integer())
  return {
    Flat: page(
      v.looseObject({
        id: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
        kind: v.picklist(['CHARGE', 'TOP_UP', 'BONUS', 'REFUND']),
        amount: v.number(),
        count: v.pipe(v.number(), v.integer(), v.minValue(0)),
        note: v.nullable(v.string()),
        closed: v.optional(v.boolean()),
        tags: v.pipe(v.array(v.string()), v.maxLength(10)),
      }),
    ),
    Formats: page(
      v.looseObject({
        id: v.pipe(v.string(), v.uuid()),
        createdAt: v.pipe(v.string(), v.isoTimestamp()),
        day: v.pipe(v.string(), v.isoDate()),
        url: v.pipe(v.string(), v.url()),
        email: v.pipe(v.string(), v.email()),
        address: v.pipe(v.string(), v.ipv4()),
      }),
    ),
    Nested: page(
      v.looseObject({
        id: whole(),
        owner: v.looseObject({
          login: v.pipe(v.string(), v.regex(/^[a-z0-9]+$/u)),
          site: v.pipe(v.string(), v.url()),
          bio: v.optional(v.string()),
        }),
        lines: v.array(
          v.looseObject({
            sku: v.pipe(v.string(), v.maxLength(20)),
            price: v.pipe(v.number(), v.gtValue(0)),
            state: v.picklist(['open', 'sent']),
          }),
        ),
        labels: v.record(v.string(), v.string()),
      }),
    ),
    Union: page(
      v.variant('kind', [
        v.looseObject({ kind: v.literal('card'), number: v.string(), last4: v.string() }),
        v.looseObject({ kind: v.literal('cash'), amount: v.number(), coins: v.array(whole()) }),
      ]),
    ),
  }
}

export type Parser = { readonly parse: (value: unknown) => unknown }

/**
 * Zod or zod/mini. Only what both spell alike is used, so that one text serves both.
 */
export type Zod = typeof zodMini

/**
 * The same schemas by hand. The objects of a document are open: a property that it does not name is
 * kept, so the like for like is `looseObject`.
 */
export function createPagesByHand(
  z: Zod,
  kind: 'looseObject' | 'object',
): Readonly<Record<PageName, Parser>> {
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
