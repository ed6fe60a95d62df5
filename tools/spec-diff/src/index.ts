export { AdaptError, adaptValue } from './adapt/adapt-value.js'
export { serveOlder, type Serve } from './adapt/serve-older.js'
export { serveVersions, type VersionsOptions } from './adapt/serve-older.js'
export { catalogue, findVerdicts, findReason, type Code } from './change/catalogue.js'
export type { Change, Direction, Place, PossibleRename, Subject, Witness } from './change/change.js'
export { compareApi, compareContracts, type Contract } from './compare/contracts.js'
export { withRenames } from './compare/contracts.js'
export { markdownText, workflowCommand, type WorkflowCommand } from './report/github.js'
export { sarifFile, sarifLog, type SarifOptions } from './report/sarif.js'
export {
  joinVerdicts,
  packageKeys,
  strictest,
  type PackageKey,
  type Verdict,
  type Verdicts,
} from './change/verdict.js'
export { readVersion, VersionError, type ReadOptions } from './versions/read-version.js'
