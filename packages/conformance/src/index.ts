export { Finding, must, SkipError, type Need, type Result } from './check.js'
export type { Credential, Probe, ProbeRequest, ProbeResponse } from './probe.js'
export type { Budget, Check, Payer, Subject, SubjectOptions } from './subject.js'
export { checks, verify, type VerifyOptions } from './verify.js'
