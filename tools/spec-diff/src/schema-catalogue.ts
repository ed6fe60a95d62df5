import type { RuleName } from './rules.js'

/**
 * Every change of a schema that can be reported. A change of the set of values is reported by
 * direction, since the two directions have opposite verdicts. Other changes have one name.
 */
export const schemaCatalogue = {
  'request-property-added': entry('taken', 'request-property-removed'),
  'request-required-property-added': entry('refused', 'request-property-removed'),
  'request-property-removed': entry(
    'named',
    'request-property-added',
    'request-required-property-added',
  ),
  'request-property-required': entry('refused', 'request-property-optional'),
  'request-property-optional': entry('taken', 'request-property-required'),
  'request-enum-widened': entry('taken', 'request-enum-narrowed'),
  'request-enum-narrowed': entry('refused', 'request-enum-widened'),
  'request-type-widened': entry('taken', 'request-type-narrowed'),
  'request-type-narrowed': entry('refused', 'request-type-widened'),
  'request-type-changed': entry('refused', 'request-type-changed'),
  'request-null-added': entry('taken', 'request-null-removed'),
  'request-null-removed': entry('refused', 'request-null-added'),
  'request-option-added': entry('taken', 'request-option-removed'),
  'request-option-removed': entry('refused', 'request-option-added'),
  'request-object-opened': entry('taken', 'request-object-closed'),
  'request-object-closed': entry('refused', 'request-object-opened'),
  'request-bound-loosened': entry('takenUnseen', 'request-bound-tightened'),
  'request-bound-tightened': entry('refusedUnseen', 'request-bound-loosened'),
  'request-format-removed': entry('takenFormat', 'request-format-added'),
  'request-format-added': entry('refusedFormat', 'request-format-removed'),
  'request-format-changed': entry('refusedFormat', 'request-format-changed'),
  'request-rule-removed': entry('takenUnseen', 'request-rule-added'),
  'request-rule-added': entry('refusedUnseen', 'request-rule-removed'),
  'request-rule-changed': entry('refusedUnseen', 'request-rule-changed'),
  'request-values-changed': entry('refusedUnseen', 'request-values-changed'),
  'request-known-value-added': entry('takenAsText', 'request-known-value-removed'),
  'request-known-value-removed': entry('refusedAsText', 'request-known-value-added'),
  'request-default-changed': entry('behaviour', 'request-default-changed'),

  'response-property-added': entry('answersAdd', 'response-property-removed'),
  'response-property-added-closed': entry('answersAddClosed', 'response-property-removed'),
  'response-property-removed': entry(
    'answersMore',
    'response-property-added',
    'response-property-added-closed',
  ),
  'response-property-required': entry('answersFewer', 'response-property-optional'),
  'response-property-optional': entry('answersMore', 'response-property-required'),
  'response-enum-widened': entry('answersMore', 'response-enum-narrowed'),
  'response-enum-narrowed': entry('answersFewer', 'response-enum-widened'),
  'response-type-widened': entry('answersMore', 'response-type-narrowed'),
  'response-type-narrowed': entry('answersFewer', 'response-type-widened'),
  'response-type-changed': entry('answersMore', 'response-type-changed'),
  'response-null-added': entry('answersMore', 'response-null-removed'),
  'response-null-removed': entry('answersFewer', 'response-null-added'),
  'response-option-added': entry('answersMore', 'response-option-removed'),
  'response-option-removed': entry('answersFewer', 'response-option-added'),
  'response-object-opened': entry('answersOpen', 'response-object-closed'),
  'response-object-closed': entry('answersClose', 'response-object-opened'),
  'response-bound-loosened': entry('answersMoreUnseen', 'response-bound-tightened'),
  'response-bound-tightened': entry('answersFewerUnseen', 'response-bound-loosened'),
  'response-format-removed': entry('answersMoreFormat', 'response-format-added'),
  'response-format-added': entry('answersFewerFormat', 'response-format-removed'),
  'response-format-changed': entry('answersMoreFormat', 'response-format-changed'),
  'response-rule-removed': entry('answersMoreUnseen', 'response-rule-added'),
  'response-rule-added': entry('answersFewerUnseen', 'response-rule-removed'),
  'response-rule-changed': entry('answersMoreUnseen', 'response-rule-changed'),
  'response-values-changed': entry('answersMoreUnseen', 'response-values-changed'),
  'response-known-value-added': entry('answersMoreAsText', 'response-known-value-removed'),
  'response-known-value-removed': entry('answersFewerAsText', 'response-known-value-added'),
  'response-default-changed': entry('said', 'response-default-changed'),

  'description-changed': entry('said', 'description-changed'),
  'examples-changed': entry('saidInTypes', 'examples-changed'),
  'discriminator-changed': entry('hint', 'discriminator-changed'),
  'format-described': entry('saidInTypes', 'format-described'),
  'content-changed': entry('saidInTypes', 'content-changed'),
  'field-deprecated': entry('marked', 'field-undeprecated'),
  'field-undeprecated': entry('marked', 'field-deprecated'),
  'schema-added': entry('schemaGained', 'schema-removed'),
  'schema-removed': entry('schemaGone', 'schema-added'),
  'schema-renamed': entry('schemaGone', 'schema-renamed'),
  'schema-form-changed': entry('unneeded', 'schema-form-changed'),
  'schema-changed': entry('schemaAnother', 'schema-changed'),
} as const

function entry(
  rule: RuleName,
  ...reverse: readonly string[]
): { readonly rule: RuleName; readonly reverse: readonly string[] } {
  return { rule, reverse }
}
