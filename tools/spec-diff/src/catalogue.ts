import { rules } from './rules.js'
import type { RuleName } from './rules.js'
import { schemaCatalogue } from './schema-catalogue.js'
import type { Verdicts } from './verdict.js'

/** The rule that weighs a change, and the name of the opposite change. */
export type Entry = { readonly rule: RuleName; readonly reverse: readonly string[] }

/** Every change that can be reported. */
export const catalogue = {
  'operation-added': entry('gained', 'operation-removed'),
  'operation-removed': entry('named', 'operation-added'),
  'operation-id-changed': entry('named', 'operation-id-changed'),
  'operation-path-changed': entry('address', 'operation-path-changed'),
  'operation-method-changed': entry('address', 'operation-method-changed'),
  'operation-deprecated': entry('marked', 'operation-undeprecated'),
  'operation-undeprecated': entry('marked', 'operation-deprecated'),
  'operation-description-changed': entry('said', 'operation-description-changed'),
  'operation-tags-changed': entry('tableOnly', 'operation-tags-changed'),
  'operation-idempotent': entry('repeats', 'operation-not-idempotent'),
  'operation-not-idempotent': entry('repeats', 'operation-idempotent'),
  'operation-rate-limit-changed': entry('pacing', 'operation-rate-limit-changed'),
  'operation-price-changed': entry('fact', 'operation-price-changed'),
  'operation-file-limit-changed': entry('fact', 'operation-file-limit-changed'),
  'operation-fact-changed': entry('tableOnly', 'operation-fact-changed'),
  'operation-changed': entry('unknown', 'operation-changed'),

  'security-narrowed': entry('locked', 'security-widened'),
  'security-widened': entry('unlocked', 'security-narrowed'),
  'security-scheme-added': entry('nowhere', 'security-scheme-removed'),
  'security-scheme-removed': entry('nowhere', 'security-scheme-added'),
  'security-scheme-changed': entry('locked', 'security-scheme-changed'),
  'security-scheme-renamed': entry('credentialName', 'security-scheme-renamed'),
  'security-scheme-unused': entry('nowhere', 'security-scheme-unused'),
  'security-scheme-described': entry('saidInClient', 'security-scheme-described'),
  'security-scheme-deprecated': entry('marked', 'security-scheme-undeprecated'),
  'security-scheme-undeprecated': entry('marked', 'security-scheme-deprecated'),
  'security-url-changed': entry('tokens', 'security-url-changed', 'security-url-added'),
  'security-url-added': entry('server', 'security-url-changed'),
  'security-flow-added': entry('unlocked', 'security-flow-removed'),
  'security-flow-removed': entry('tokens', 'security-flow-added'),
  'security-scope-added': entry('unlocked', 'security-scope-removed'),
  'security-scope-removed': entry('tokens', 'security-scope-added'),

  'info-title-changed': entry('saidInClient', 'info-title-changed'),
  'info-version-changed': entry('nowhere', 'info-version-changed'),
  'info-description-changed': entry('nowhere', 'info-description-changed'),
  'server-added': entry('server', 'server-removed'),
  'server-removed': entry('serverGone', 'server-added'),
  'server-changed': entry('server', 'server-changed'),
  'server-description-changed': entry('nowhere', 'server-description-changed'),
  'table-added': entry('exported', 'table-removed'),
  'table-removed': entry('exportedGone', 'table-added'),
  'table-changed': entry('fact', 'table-changed'),

  'request-parameter-added': entry('taken', 'request-parameter-removed'),
  'request-required-parameter-added': entry('refused', 'request-parameter-removed'),
  'request-parameter-removed': entry(
    'named',
    'request-parameter-added',
    'request-required-parameter-added',
  ),
  'request-parameter-required': entry('refused', 'request-parameter-optional'),
  'request-parameter-optional': entry('taken', 'request-parameter-required'),
  'request-parameter-moved': entry('named', 'request-parameter-moved'),
  'request-parameter-style-changed': entry('wire', 'request-parameter-style-changed'),
  'request-parameter-credential-changed': entry('refused', 'request-parameter-credential-changed'),
  'request-field-renamed': entry('input', 'request-field-renamed'),
  'request-body-added': entry('taken', 'request-body-removed'),
  'request-required-body-added': entry('refused', 'request-body-removed'),
  'request-body-removed': entry('named', 'request-body-added', 'request-required-body-added'),
  'request-body-required': entry('refused', 'request-body-optional'),
  'request-body-optional': entry('taken', 'request-body-required'),
  'request-body-flattening-changed': entry('input', 'request-body-flattening-changed'),
  'request-media-type-added': entry('taken', 'request-media-type-removed'),
  'request-media-type-removed': entry('named', 'request-media-type-added'),
  'request-media-type-preferred': entry('behaviour', 'request-media-type-preferred'),
  'request-encoding-changed': entry('wire', 'request-encoding-changed'),
  'request-part-header-added': entry('part', 'request-part-header-removed'),
  'request-part-header-required': entry(
    'partRefused',
    'request-part-header-removed',
    'request-part-header-changed',
  ),
  'request-part-header-removed': entry(
    'part',
    'request-part-header-added',
    'request-part-header-required',
  ),
  'request-part-header-changed': entry(
    'part',
    'request-part-header-changed',
    'request-part-header-required',
  ),

  'response-success-status-added': entry('success', 'response-success-status-removed'),
  'response-success-status-removed': entry('named', 'response-success-status-added'),
  'response-error-status-added': entry('error', 'response-error-status-removed'),
  'response-error-status-removed': entry('errorGone', 'response-error-status-added'),
  'response-media-type-added': entry('media', 'response-media-type-removed'),
  'response-media-type-removed': entry('named', 'response-media-type-added'),
  'media-type-spelled': entry('tableOnly', 'media-type-spelled'),
  'response-encoding-changed': entry('partsRead', 'response-encoding-changed'),
  'response-part-header-added': entry('part', 'response-part-header-removed'),
  'response-part-header-removed': entry('partGone', 'response-part-header-added'),
  'response-part-header-changed': entry('partGone', 'response-part-header-changed'),
  'link-added': entry('nowhere', 'link-removed'),
  'link-removed': entry('nowhere', 'link-added'),
  'link-changed': entry('nowhere', 'link-changed'),
  'response-header-added': entry('header', 'response-header-removed'),
  'response-header-removed': entry('headerGone', 'response-header-added'),
  'response-header-required': entry('header', 'response-header-optional'),
  'response-header-optional': entry('headerGone', 'response-header-required'),

  'webhook-added': entry('answersAdd', 'webhook-removed'),
  'webhook-removed': entry('named', 'webhook-added'),
  'webhook-status-added': entry('taken', 'webhook-status-removed'),
  'webhook-status-removed': entry('refused', 'webhook-status-added'),
  'webhook-parameter-added': entry('header', 'webhook-parameter-removed'),
  'webhook-parameter-removed': entry('headerGone', 'webhook-parameter-added'),
  'webhook-parameter-required': entry('header', 'webhook-parameter-optional'),
  'webhook-parameter-optional': entry('headerGone', 'webhook-parameter-required'),

  ...schemaCatalogue,
} as const satisfies Record<string, Entry>

export type Code = keyof typeof catalogue

/** The verdict of a change for each package. */
export function findVerdicts(code: Code): Verdicts {
  return rules[catalogue[code].rule].verdicts
}

/** The reason for that verdict. */
export function findReason(code: Code): string {
  return rules[catalogue[code].rule].why
}

function entry(rule: RuleName, ...reverse: readonly string[]): Entry {
  return { rule, reverse }
}
