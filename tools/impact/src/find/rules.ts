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
  ...each('operation', true, 'operation-removed', 'operation-id-changed'),
  ...each(
    'path-calls',
    true,
    'operation-path-changed',
    'operation-template-renamed',
    'operation-method-changed',
  ),
  ...each(
    'calls',
    true,
    'response-success-status-added',
    'response-success-status-removed',
    'response-media-type-added',
    'response-media-type-removed',
    'response-media-type-widened',
    'response-media-type-narrowed',
  ),
  ...each(
    'calls',
    false,
    'operation-deprecated',
    'operation-price-changed',
    'operation-not-idempotent',
    'security-narrowed',
    'response-error-status-added',
  ),
  ...each('schema', true, 'schema-removed', 'schema-renamed', 'schema-changed'),
  ...each(
    'property',
    true,
    'request-parameter-removed',
    'request-parameter-moved',
    'request-field-renamed',
    'request-property-removed',
    'response-property-removed',
  ),
  ...each('property', false, 'field-deprecated'),
  ...each('left-out', true, 'request-required-parameter-added', 'request-parameter-required'),
  ...each('left-out', true, 'request-required-property-added', 'request-property-required'),
  ...each(
    'left-out',
    true,
    'response-property-added',
    'response-property-added-closed',
    'response-property-required',
  ),
  ...each('left-out', false, 'request-default-changed'),
  ...each(
    'writes',
    true,
    'request-type-narrowed',
    'request-type-changed',
    'request-null-removed',
    'request-option-removed',
    'request-object-closed',
  ),
  ...each(
    'writes',
    false,
    'request-bound-tightened',
    'request-format-added',
    'request-format-changed',
    'request-rule-added',
    'request-rule-changed',
    'request-values-changed',
  ),
  ...each(
    'reads',
    true,
    'response-property-optional',
    'response-null-added',
    'response-type-widened',
    'response-type-changed',
    'response-option-added',
  ),
  ...each('gone-values', true, 'request-enum-narrowed', 'response-enum-narrowed'),
  ...each('gone-values', false, 'request-known-value-removed'),
  ...each('branches', false, 'response-enum-widened', 'response-known-value-added'),
}

function each(
  reach: Reach,
  compiler: boolean,
  ...codes: readonly Code[]
): Partial<Record<Code, Rule>> {
  return Object.fromEntries(codes.map((code) => [code, { reach, compiler }]))
}
