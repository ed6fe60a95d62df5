import { expectTypeOf } from 'vitest'
import { definePlugin } from '../kit.js'
import type { Api, Plugin, SourceFile } from '../kit.js'
import { defineConfig } from './config.js'
import type { Config } from './config.js'

const plugin = definePlugin({ name: 'ids', emit: () => [] })
expectTypeOf(plugin).toEqualTypeOf<Plugin>()
expectTypeOf(plugin.emit).toEqualTypeOf<(api: Api) => readonly SourceFile[]>()

const document = { spec: 'a.yaml', out: 'api', outputs: { zod: { flavour: 'mini' } } } as const
expectTypeOf(
  defineConfig({ documents: [document], plugins: [plugin, '@acme/ids'], strict: true }),
).toEqualTypeOf<Config>()

// @ts-expect-error a document has a spec
defineConfig({ documents: [{ out: 'api' }] })
// @ts-expect-error no such setting
defineConfig({ documnets: [] })
// @ts-expect-error what a plugin is, is made by definePlugin
defineConfig({ plugins: [{ name: 'ids', emit: () => [] }] })
// @ts-expect-error an emitter returns files
definePlugin({ name: 'ids', emit: () => 'text' })
