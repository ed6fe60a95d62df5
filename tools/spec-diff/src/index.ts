export { catalogue, verdictsOf, whyOf, type Code } from './catalogue.js'
export type { Change, Direction, Place } from './change.js'
export { compareApi } from './compare-api.js'
export { joined, packageKeys, strictest, type PackageKey, type Verdict, type Verdicts } from './verdict.js'
