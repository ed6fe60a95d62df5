export { AdaptError, adaptValue } from './adapt/adapt-value.js'
export { serveOlder, type Serve } from './adapt/serve-older.js'
export { serveVersions, type VersionsOptions } from './adapt/serve-versions.js'
export { catalogue, findVerdicts, findReason, type Code } from './catalogue.js'
export type { Change, Direction, Place, PossibleRename, Subject, Witness } from './change.js'
export { compareApi, compareContracts, type Contract } from './compare-api.js'
export { withRenames } from './renames/with-renames.js'
export { markdownText, workflowCommand, type WorkflowCommand } from './report/for-github.js'
export { sarifFile, sarifLog, type SarifOptions } from './report/sarif-log.js'
export {
  joined,
  packageKeys,
  strictest,
  type PackageKey,
  type Verdict,
  type Verdicts,
} from './verdict.js'
export { readVersion, VersionError, type ReadOptions } from './read-version.js'
