import { rules, type RuleName } from './rules.js'
import type { Verdicts } from './verdict.js'

/**
 * Every change of a schema that can be reported. A change of the set of values is reported by
 * direction, since the two directions have opposite verdicts. Other changes have one name.
 */
const schemaCatalogue = {
  'request-property-added': entry('accepted', 'request-property-removed'),
  'request-required-property-added': entry('rejected', 'request-property-removed'),
  'request-property-removed': entry(
    'named',
    'request-property-added',
    'request-required-property-added',
  ),
  'request-property-required': entry('rejected', 'request-property-optional'),
  'request-property-optional': entry('accepted', 'request-property-required'),
  'request-enum-widened': entry('accepted', 'request-enum-narrowed'),
  'request-enum-narrowed': entry('rejected', 'request-enum-widened'),
  'request-type-widened': entry('accepted', 'request-type-narrowed'),
  'request-type-narrowed': entry('rejected', 'request-type-widened'),
  'request-type-changed': entry('rejected', 'request-type-changed'),
  'request-null-added': entry('accepted', 'request-null-removed'),
  'request-null-removed': entry('rejected', 'request-null-added'),
  'request-option-added': entry('accepted', 'request-option-removed'),
  'request-option-removed': entry('rejected', 'request-option-added'),
  'request-object-opened': entry('accepted', 'request-object-closed'),
  'request-object-closed': entry('rejected', 'request-object-opened'),
  'request-bound-loosened': entry('acceptedUnseen', 'request-bound-tightened'),
  'request-bound-tightened': entry('rejectedUnseen', 'request-bound-loosened'),
  'request-format-removed': entry('acceptedFormat', 'request-format-added'),
  'request-format-added': entry('rejectedFormat', 'request-format-removed'),
  'request-format-changed': entry('rejectedFormat', 'request-format-changed'),
  'request-rule-removed': entry('acceptedUnseen', 'request-rule-added'),
  'request-rule-added': entry('rejectedUnseen', 'request-rule-removed'),
  'request-rule-changed': entry('rejectedUnseen', 'request-rule-changed'),
  'request-values-changed': entry('rejectedUnseen', 'request-values-changed'),
  'request-known-value-added': entry('acceptedKnown', 'request-known-value-removed'),
  'request-known-value-removed': entry('rejectedKnown', 'request-known-value-added'),
  'request-default-changed': entry('behaviour', 'request-default-changed'),

  'response-property-added': entry('responseFieldAdded', 'response-property-removed'),
  'response-property-added-closed': entry('responseFieldAddedClosed', 'response-property-removed'),
  'response-property-removed': entry(
    'responseWidened',
    'response-property-added',
    'response-property-added-closed',
  ),
  'response-property-required': entry('responseNarrowed', 'response-property-optional'),
  'response-property-optional': entry('responseWidened', 'response-property-required'),
  'response-enum-widened': entry('responseWidened', 'response-enum-narrowed'),
  'response-enum-narrowed': entry('responseNarrowed', 'response-enum-widened'),
  'response-type-widened': entry('responseWidened', 'response-type-narrowed'),
  'response-type-narrowed': entry('responseNarrowed', 'response-type-widened'),
  'response-type-changed': entry('responseWidened', 'response-type-changed'),
  'response-null-added': entry('responseWidened', 'response-null-removed'),
  'response-null-removed': entry('responseNarrowed', 'response-null-added'),
  'response-option-added': entry('responseWidened', 'response-option-removed'),
  'response-option-removed': entry('responseNarrowed', 'response-option-added'),
  'response-object-opened': entry('responseOpened', 'response-object-closed'),
  'response-object-closed': entry('responseClosed', 'response-object-opened'),
  'response-bound-loosened': entry('responseWidenedUnseen', 'response-bound-tightened'),
  'response-bound-tightened': entry('responseNarrowedUnseen', 'response-bound-loosened'),
  'response-format-removed': entry('responseWidenedFormat', 'response-format-added'),
  'response-format-added': entry('responseNarrowedFormat', 'response-format-removed'),
  'response-format-changed': entry('responseWidenedFormat', 'response-format-changed'),
  'response-rule-removed': entry('responseWidenedUnseen', 'response-rule-added'),
  'response-rule-added': entry('responseNarrowedUnseen', 'response-rule-removed'),
  'response-rule-changed': entry('responseWidenedUnseen', 'response-rule-changed'),
  'response-values-changed': entry('responseWidenedUnseen', 'response-values-changed'),
  'response-known-value-added': entry('responseWidenedKnown', 'response-known-value-removed'),
  'response-known-value-removed': entry('responseNarrowedKnown', 'response-known-value-added'),
  'response-default-changed': entry('described', 'response-default-changed'),

  'description-changed': entry('described', 'description-changed'),
  'examples-changed': entry('describedInTypes', 'examples-changed'),
  'discriminator-changed': entry('hint', 'discriminator-changed'),
  'format-described': entry('describedInTypes', 'format-described'),
  'content-changed': entry('describedInTypes', 'content-changed'),
  'field-deprecated': entry('marked', 'field-undeprecated'),
  'field-undeprecated': entry('marked', 'field-deprecated'),
  'schema-added': entry('schemaGained', 'schema-removed'),
  'schema-removed': entry('schemaGone', 'schema-added'),
  'schema-renamed': entry('schemaGone', 'schema-renamed'),
  'schema-form-changed': entry('unusedForm', 'schema-form-changed'),
  'schema-changed': entry('schemaAnother', 'schema-changed'),
} as const

/** The rule with the verdict of a change, and the name of the opposite change. */
export type Entry = { readonly rule: RuleName; readonly reverse: readonly string[] }

/** Every change that can be reported. */
export const catalogue = {
  'operation-added': entry('gained', 'operation-removed'),
  'operation-removed': entry('named', 'operation-added'),
  'operation-id-changed': entry('named', 'operation-id-changed'),
  'operation-path-changed': entry('address', 'operation-path-changed'),
  'operation-template-renamed': entry('template', 'operation-template-renamed'),
  'operation-method-changed': entry('address', 'operation-method-changed'),
  'operation-deprecated': entry('marked', 'operation-undeprecated'),
  'operation-undeprecated': entry('marked', 'operation-deprecated'),
  'operation-description-changed': entry('described', 'operation-description-changed'),
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
  'security-scheme-described': entry('describedInClient', 'security-scheme-described'),
  'security-scheme-deprecated': entry('marked', 'security-scheme-undeprecated'),
  'security-scheme-undeprecated': entry('marked', 'security-scheme-deprecated'),
  'security-url-changed': entry('tokens', 'security-url-changed', 'security-url-added'),
  'security-url-added': entry('server', 'security-url-changed'),
  'security-flow-added': entry('unlocked', 'security-flow-removed'),
  'security-flow-removed': entry('tokens', 'security-flow-added'),
  'security-scope-added': entry('unlocked', 'security-scope-removed'),
  'security-scope-removed': entry('tokens', 'security-scope-added'),

  'info-title-changed': entry('describedInClient', 'info-title-changed'),
  'info-version-changed': entry('nowhere', 'info-version-changed'),
  'info-description-changed': entry('nowhere', 'info-description-changed'),
  'server-added': entry('server', 'server-removed'),
  'server-removed': entry('serverGone', 'server-added'),
  'server-changed': entry('server', 'server-changed'),
  'server-description-changed': entry('nowhere', 'server-description-changed'),
  'table-added': entry('exported', 'table-removed'),
  'table-removed': entry('exportedGone', 'table-added'),
  'table-changed': entry('fact', 'table-changed'),

  'request-parameter-added': entry('accepted', 'request-parameter-removed'),
  'request-required-parameter-added': entry('rejected', 'request-parameter-removed'),
  'request-parameter-removed': entry(
    'named',
    'request-parameter-added',
    'request-required-parameter-added',
  ),
  'request-parameter-required': entry('rejected', 'request-parameter-optional'),
  'request-parameter-optional': entry('accepted', 'request-parameter-required'),
  'request-parameter-moved': entry('named', 'request-parameter-moved'),
  'request-parameter-style-changed': entry('wire', 'request-parameter-style-changed'),
  'request-parameter-credential-changed': entry('rejected', 'request-parameter-credential-changed'),
  'request-field-renamed': entry('input', 'request-field-renamed'),
  'request-body-added': entry('accepted', 'request-body-removed'),
  'request-required-body-added': entry('rejected', 'request-body-removed'),
  'request-body-removed': entry('named', 'request-body-added', 'request-required-body-added'),
  'request-body-required': entry('rejected', 'request-body-optional'),
  'request-body-optional': entry('accepted', 'request-body-required'),
  'request-body-flattening-changed': entry('input', 'request-body-flattening-changed'),
  'request-media-type-added': entry('accepted', 'request-media-type-removed'),
  'request-media-type-removed': entry('named', 'request-media-type-added'),
  'request-media-type-widened': entry('mediaWidened', 'request-media-type-narrowed'),
  'request-media-type-narrowed': entry('rejected', 'request-media-type-widened'),
  'request-media-type-preferred': entry('behaviour', 'request-media-type-preferred'),
  'request-encoding-changed': entry('wire', 'request-encoding-changed'),
  'request-part-header-added': entry('part', 'request-part-header-removed'),
  'request-part-header-required': entry(
    'partRejected',
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
  'response-media-type-widened': entry('responseWidened', 'response-media-type-narrowed'),
  'response-media-type-narrowed': entry('errorGone', 'response-media-type-widened'),
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

  'webhook-added': entry('responseFieldAdded', 'webhook-removed'),
  'webhook-removed': entry('named', 'webhook-added'),
  'callback-address-changed': entry('callbackAddress', 'callback-address-changed'),
  'webhook-body-optional': entry('responseWidened', 'webhook-body-required'),
  'webhook-body-required': entry('responseNarrowed', 'webhook-body-optional'),
  'webhook-status-added': entry('accepted', 'webhook-status-removed'),
  'webhook-status-removed': entry('rejected', 'webhook-status-added'),
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
