import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Arguments } from '@farebox/command-line'
import { cache } from '@farebox/testing/install-package'
import { bundleModule, generateZod, generateCheck, withZod, writeDocument } from './bundled.js'
import { parseRounds, takeTurns, showTable } from './measure.js'
import {
  createPagesByHand,
  type Parser,
  type Zod,
  compilePeers,
  type Verdict,
} from './validators/peers.js'
import { pages, type PageName, schemas } from './validators/schemas.js'

/** What the bundle exports: generated validators, and zod to write the same by hand. */
type Module = {
  readonly full: Readonly<Record<PageName, Parser>>
  readonly mini: Readonly<Record<PageName, Parser>>
  readonly check: Readonly<Record<string, Verdict>>
  readonly zod: Zod & { readonly fromJSONSchema: (schema: never) => Parser }
  readonly zodMini: Zod
}

export async function benchmarkValidators(args: Arguments): Promise<void> {
  const rounds = parseRounds(args.operands, 400)
  const { full, mini, check, zod, zodMini } = await loadBundledModule()
  const peers = await compilePeers()
  const table: Record<string, object> = {}
  for (const name of Object.keys(pages) as PageName[]) {
    const parsers = {
      full: full[name],
      open: createPagesByHand(zod, 'looseObject')[name],
      stripping: createPagesByHand(zod, 'object')[name],
      mini: mini[name],
      openMini: createPagesByHand(zodMini, 'looseObject')[name],
    }
    const page = pages[name]
    const { ajv, typebox, valibot } = peers(name)
    const isValid = check[`is${name}`] ?? (() => false)
    const fromSchema = zod.fromJSONSchema(schemas[name] as never)
    const times = await takeTurns(
      {
        full: () => parsers.full.parse(page),
        open: () => parsers.open.parse(page),
        stripping: () => parsers.stripping.parse(page),
        mini: () => parsers.mini.parse(page),
        openMini: () => parsers.openMini.parse(page),
        check: () => isValid(page),
        ajv: () => ajv(page),
        typebox: () => typebox(page),
        valibot: () => valibot(page),
        fromSchema: () => fromSchema.parse(page),
      },
      { rounds },
    )
    table[name] = {
      'generated, ms': Number(times.full.toFixed(3)),
      'by hand, ms': Number(times.open.toFixed(3)),
      'rate / by hand': Number((times.open / times.full).toFixed(2)),
      'rate / stripping by hand': Number((times.stripping / times.full).toFixed(2)),
      'mini, ms': Number(times.mini.toFixed(3)),
      'mini: rate / by hand': Number((times.openMini / times.mini).toFixed(2)),
      'check, ms': Number(times.check.toFixed(4)),
      'ajv, ms': Number(times.ajv.toFixed(4)),
      'typebox, ms': Number(times.typebox.toFixed(4)),
      'valibot by hand, ms': Number(times.valibot.toFixed(3)),
      'z.fromJSONSchema, ms': Number(times.fromSchema.toFixed(3)),
    }
  }
  console.log(
    `1,000 objects a page, median of ${rounds} rounds that take turns, zod 4 on Node ${process.versions.node}. Target: rate / by hand >= 0.95.`,
  )
  showTable(table, args.has('save') && 'validators')
}

async function loadBundledModule(): Promise<Module> {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Pages', version: '1' },
    paths: {},
    components: { schemas },
  }
  const spec = writeDocument('pages', document)
  const lines = [
    `export * as full from ${JSON.stringify(await generateZod(spec, 'pages', 'full'))}`,
    `export * as check from ${JSON.stringify(await generateCheck(spec, 'pages'))}`,
    `export * as mini from ${JSON.stringify(await generateZod(spec, 'pages', 'mini'))}`,
    "export * as zod from 'zod'",
    "export * as zodMini from 'zod/mini'",
  ]
  const file = join(cache, 'validators.bundle.mjs')
  writeFileSync(file, await bundleModule(lines.join('\n'), cache, withZod))
  return (await import(pathToFileURL(file).href)) as Module
}
