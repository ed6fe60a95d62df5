export { buildApi } from './ir/build.js'
export { formatDiagnostic } from './diagnostics.js'
export { loadDocument } from './document/load.js'
