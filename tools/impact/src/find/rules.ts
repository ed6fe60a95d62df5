import type { Code } from '@farebox/spec-diff'

/** Which code a change touches. */
export type Reach =
  /** Every use of the operation's name. */
  | 'operation'
  /** The calls of the operation. */
  | 'calls'
  /** The calls by path and method. */
  | 'path-calls'
  /** Every use of the schema's name. */
  | 'schema'
  /** Every use of the property. */
  | 'property'
  /** Code that sets the property. */
  | 'writes'
  /** Code that reads the property. */
  | 'reads'
  /** Objects without the property, and calls without it. */
  | 'left-out'
  /** Code that sets or compares with a removed value. */
  | 'gone-values'
  /** Code that depends on the value. */
  | 'branches'

/**
 * `compiler`: whether the code stops compiling against the new version, unless the place says
 * otherwise.
 */
export type Rule = { readonly reach: Reach; readonly compiler: boolean }

/** The rule of each change that touches code. Other changes touch no code. */
export const rules: Readonly<Partial<Record<Code, Rule>>> = {
  ...createRules('operation', true, 'operation-removed', 'operation-id-changed'),
  ...createRules(
    'path-calls',
    true,
    'operation-path-changed',
    'operation-template-renamed',
    'operation-method-changed',
  ),
  ...createRules(
    'calls',
    true,
    'response-success-status-added',
    'response-success-status-removed',
    'response-success-status-widened',
    'response-success-status-narrowed',
    'response-media-type-added',
    'response-media-type-removed',
    'response-media-type-widened',
    'response-media-type-narrowed',
  ),
  ...createRules(
    'calls',
    false,
    'operation-deprecated',
    'operation-price-changed',
    'operation-not-idempotent',
    'security-narrowed',
    'response-error-status-added',
    'response-error-status-widened',
    'response-error-status-narrowed',
  ),
  ...createRules('schema', true, 'schema-removed', 'schema-renamed', 'schema-changed'),
  ...createRules(
    'property',
    true,
    'request-parameter-removed',
    'request-parameter-moved',
    'request-field-renamed',
    'request-property-removed',
    'response-property-removed',
  ),
  ...createRules('property', false, 'field-deprecated'),
  ...createRules(
    'left-out',
    true,
    'request-required-parameter-added',
    'request-parameter-required',
  ),
  ...createRules('left-out', true, 'request-required-property-added', 'request-property-required'),
  ...createRules(
    'left-out',
    true,
    'response-property-added',
    'response-property-added-closed',
    'response-property-required',
  ),
  ...createRules('left-out', false, 'request-default-changed'),
  ...createRules(
    'writes',
    true,
    'request-type-narrowed',
    'request-type-changed',
    'request-null-removed',
    'request-option-removed',
    'request-object-closed',
  ),
  ...createRules(
    'writes',
    false,
    'request-bound-tightened',
    'request-format-added',
    'request-format-changed',
    'request-rule-added',
    'request-rule-changed',
    'request-values-changed',
  ),
  ...createRules(
    'reads',
    true,
    'response-property-optional',
    'response-null-added',
    'response-type-widened',
    'response-type-changed',
    'response-option-added',
  ),
  ...createRules('gone-values', true, 'request-enum-narrowed', 'response-enum-narrowed'),
  ...createRules('gone-values', false, 'request-known-value-removed'),
  ...createRules('branches', false, 'response-enum-widened', 'response-known-value-added'),
}

function createRules(
  reach: Reach,
  compiler: boolean,
  ...codes: readonly Code[]
): Partial<Record<Code, Rule>> {
  return Object.fromEntries(codes.map((code) => [code, { reach, compiler }]))
}
