export { defineConfig } from './config/config.js'
export type { Config, DocumentSettings, Settings } from './config/config.js'
export { catalogue } from './diagnostics.js'
export { formatModes } from './emit/emitter.js'
export type {
  DocumentEmitter,
  Emitter,
  FormatMode,
  LoadedDocument,
  OutputOptions,
} from './emit/emitter.js'
export { clientWith } from './emitters/client.js'
export type { ClientOptions } from './emitters/client.js'
export { emitters } from './emitters/index.js'
export { checkWith } from './emitters/check.js'
export type { CheckOptions } from './emitters/check.js'
export { zodFlavours, zodWith } from './emitters/zod.js'
export type { ZodFlavour, ZodOptions } from './emitters/zod.js'
export { generate } from './pipeline/generate.js'
export { render } from './pipeline/render.js'
export type { GenerateOptions, GenerateResult } from './pipeline/generate.js'
export { PluginError } from './pipeline/plugin-emitter.js'
export { readFilter } from './select/select.js'
export type { Filter, Selection } from './select/select.js'
export { folder, packages } from './pipeline/target.js'
export type { Target } from './pipeline/target.js'
export * from './model.js'
