import type { Verdict, Verdicts } from './verdict.js'

/** The reason for the weight of a change, in one sentence, and the verdict for each package. */
export type Rule = { readonly why: string; readonly verdicts: Verdicts }

/**
 * The rules. `types` is rated by whether code compiles, `zod` by that and by which values pass,
 * `client` and `sdk` by that and by whether a working call still works, since they depend on the
 * service. *Unseen* is a change that no TypeScript type can express, *Format* one that appears as a
 * comment.
 */
export const rules = {
  refused: rule('The service refuses requests that it accepted.', 'major', 'major', 'major', 'major'),
  refusedUnseen: rule('The service refuses requests that it accepted; the types cannot express it.', 'none', 'major', 'major', 'major'),
  refusedFormat: rule(
    'The service refuses requests that it accepted; in the types only a comment changes.',
    'patch',
    'major',
    'major',
    'major',
  ),
  taken: rule('The service accepts more requests.', 'minor', 'minor', 'minor', 'minor'),
  takenUnseen: rule('The service accepts more requests; the types cannot express it.', 'none', 'minor', 'minor', 'minor'),
  takenFormat: rule('The service accepts more requests; in the types only a comment changes.', 'patch', 'minor', 'minor', 'minor'),
  answersMore: rule(
    'A response may have a value that readers do not expect, or lack one that they rely on.',
    'major',
    'major',
    'major',
    'major',
  ),
  answersMoreUnseen: rule('Older validators refuse new responses; readers get values of the same type.', 'none', 'major', 'minor', 'minor'),
  answersMoreFormat: rule(
    'Older validators refuse new responses; in the types only a comment changes.',
    'patch',
    'major',
    'minor',
    'minor',
  ),
  answersFewer: rule('A response has fewer values; code for the removed ones is dead.', 'minor', 'minor', 'minor', 'minor'),
  answersFewerUnseen: rule('A response has fewer values; the types cannot express it.', 'none', 'minor', 'patch', 'patch'),
  answersFewerFormat: rule('A response has fewer values; in the types only a comment changes.', 'patch', 'minor', 'patch', 'patch'),
  answersAdd: rule('Readers and validators of an open object accept more fields.', 'minor', 'minor', 'minor', 'minor'),
  answersAddClosed: rule('Readers ignore the new field; older strict validators refuse it.', 'minor', 'major', 'minor', 'minor'),
  answersOpen: rule('Readers ignore unknown fields; older strict validators refuse them.', 'patch', 'major', 'patch', 'patch'),
  answersClose: rule('Unknown fields are gone; they had no name to read them by.', 'patch', 'minor', 'patch', 'patch'),
  takenAsText: rule('A list that may grow has another value; types and validators take any.', 'none', 'none', 'minor', 'minor'),
  refusedAsText: rule(
    'The service may refuse a value that is no longer in the list; types and validators take any.',
    'none',
    'none',
    'major',
    'major',
  ),
  answersMoreAsText: rule('A list that may grow has another value, which readers must expect.', 'none', 'none', 'minor', 'minor'),
  answersFewerAsText: rule('A list that may grow has fewer values; code for them is dead.', 'none', 'none', 'patch', 'patch'),
  part: rule('Headers of parts are in no type. Programs may send or read more of them.', 'none', 'none', 'minor', 'minor'),
  partRefused: rule('The service refuses parts without the header, which no type names.', 'none', 'none', 'major', 'major'),
  partGone: rule('A header of a part that programs rely on may be missing, or have other values.', 'none', 'none', 'major', 'major'),
  partsRead: rule('Programs that read the parts of a response get them in another form.', 'patch', 'none', 'major', 'major'),
  named: rule('A name that programs use is gone.', 'major', 'major', 'major', 'major'),
  gained: rule('A new name; existing names stay.', 'minor', 'minor', 'minor', 'minor'),
  address: rule('Older versions call an address that is gone. Validators are found by operation id.', 'major', 'none', 'major', 'major'),
  success: rule('Callers read `data` of known statuses; another status widens its type.', 'major', 'minor', 'major', 'major'),
  error: rule('A response that was thrown as undeclared is a typed value now.', 'minor', 'minor', 'minor', 'minor'),
  errorGone: rule('A key of types and validators is gone; for a caller it is a dead branch.', 'major', 'major', 'minor', 'minor'),
  media: rule('Types and validators gain a key; the result of a call gets a wider type.', 'minor', 'minor', 'major', 'major'),
  wire: rule('The same input is sent in another form, and the service refuses the old one.', 'patch', 'none', 'major', 'major'),
  input: rule('The flat input of the client has another field; the request is the same.', 'patch', 'none', 'major', 'major'),
  locked: rule('The service refuses callers that it admitted.', 'patch', 'none', 'major', 'major'),
  unlocked: rule('The service admits more callers.', 'patch', 'none', 'minor', 'minor'),
  header: rule('Response headers are typed, and not validated.', 'minor', 'none', 'minor', 'minor'),
  headerGone: rule('A header that programs rely on may be missing. Headers are not validated.', 'major', 'none', 'major', 'major'),
  serverGone: rule('Programs that call this server must move.', 'none', 'none', 'major', 'major'),
  server: rule('Another server may be called.', 'none', 'none', 'minor', 'minor'),
  behaviour: rule(
    'An input without the field has another effect. The operation table states the default.',
    'patch',
    'none',
    'minor',
    'minor',
  ),
  repeats: rule('The SDK starts or stops repeating a call whose response was lost.', 'patch', 'none', 'none', 'minor'),
  pacing: rule('The SDK paces its calls by this fact.', 'patch', 'none', 'none', 'minor'),
  fact: rule('A fact of the operation table has another value of the same kind.', 'patch', 'none', 'none', 'patch'),
  tableOnly: rule('Only the operation table contains it.', 'patch', 'none', 'none', 'none'),
  exported: rule('A constant of @farebox/types/operations is new.', 'minor', 'none', 'none', 'none'),
  exportedGone: rule('A constant of @farebox/types/operations is gone.', 'major', 'none', 'none', 'none'),
  schemaGained: rule('Types and zod export one more schema.', 'minor', 'minor', 'none', 'none'),
  schemaGone: rule('Types and zod no longer export a name that programs may import.', 'major', 'major', 'none', 'none'),
  schemaAnother: rule('No operation uses the schema, so the direction of its values is unknown.', 'major', 'major', 'none', 'none'),
  said: rule('Only a text for people changes.', 'patch', 'patch', 'patch', 'patch'),
  marked: rule('Editors start or stop striking it through.', 'patch', 'none', 'patch', 'patch'),
  saidInTypes: rule('Only a comment in the types changes.', 'patch', 'none', 'none', 'none'),
  saidInClient: rule('Only a comment in the client changes.', 'none', 'none', 'patch', 'none'),
  nowhere: rule('No package contains it.', 'none', 'none', 'none', 'none'),
  unknown: rule('No rule covers this change, so the strictest verdict applies.', 'major', 'major', 'major', 'major'),
} as const satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

function rule(why: string, types: Verdict, zod: Verdict, client: Verdict, sdk: Verdict): Rule {
  return { why, verdicts: { types, zod, client, sdk } }
}
