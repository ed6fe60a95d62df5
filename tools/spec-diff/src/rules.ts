import type { Verdict, Verdicts } from './verdict.js'

/** The reason for the weight of a change, in one sentence, and the verdict for each package. */
export type Rule = { readonly why: string; readonly verdicts: Verdicts }

/**
 * The reasons. `types` is rated by what compiles, `zod` by what compiles and by which values pass,
 * `client` and `sdk` by what compiles and by whether a call that worked still works: they speak for
 * the service. *Unseen* is what no TypeScript type can say, *Format* what stands there as a
 * comment.
 */
export const rules = {
  refused: rule('What the service took, it refuses now.', 'major', 'major', 'major', 'major'),
  refusedUnseen: rule('What the service took, it refuses now; the types cannot say so.', 'none', 'major', 'major', 'major'),
  refusedFormat: rule('What the service took, it refuses now; in the types only a comment says so.', 'patch', 'major', 'major', 'major'),
  taken: rule('The service takes more than it did.', 'minor', 'minor', 'minor', 'minor'),
  takenUnseen: rule('The service takes more than it did; the types cannot say so.', 'none', 'minor', 'minor', 'minor'),
  takenFormat: rule('The service takes more than it did; in the types only a comment says so.', 'patch', 'minor', 'minor', 'minor'),
  answersMore: rule('An answer may be what no reader had to expect, or lack what it could count on.', 'major', 'major', 'major', 'major'),
  answersMoreUnseen: rule('Older validators refuse new answers; readers get values of the same type.', 'none', 'major', 'minor', 'minor'),
  answersMoreFormat: rule('Older validators refuse new answers; in the types only a comment says so.', 'patch', 'major', 'minor', 'minor'),
  answersFewer: rule('An answer is narrower; a reader of the wider one has at most a dead branch.', 'minor', 'minor', 'minor', 'minor'),
  answersFewerUnseen: rule('An answer is narrower; the types cannot say so.', 'none', 'minor', 'patch', 'patch'),
  answersFewerFormat: rule('An answer is narrower; in the types only a comment says so.', 'patch', 'minor', 'patch', 'patch'),
  answersAdd: rule('An open object may always hold more: readers and validators let it pass.', 'minor', 'minor', 'minor', 'minor'),
  answersAddClosed: rule('Readers let it pass; older strict validators refuse it.', 'minor', 'major', 'minor', 'minor'),
  answersOpen: rule('Readers let unknown fields pass; older strict validators refuse them.', 'patch', 'major', 'patch', 'patch'),
  answersClose: rule('Unknown fields come no more; nobody could read them by name.', 'patch', 'minor', 'patch', 'patch'),
  named: rule('A name that programs use is gone.', 'major', 'major', 'major', 'major'),
  gained: rule('A new name; nothing old is touched.', 'minor', 'minor', 'minor', 'minor'),
  address: rule('Older versions call where nobody answers. Validators go by operation id.', 'major', 'none', 'major', 'major'),
  success: rule('Callers read `data` of the statuses that they know; another one widens its type.', 'major', 'minor', 'major', 'major'),
  error: rule('Results are told apart by status: what was thrown as undeclared is a typed value now.', 'minor', 'minor', 'minor', 'minor'),
  errorGone: rule('Gone as a key of types and validators; to a caller a dead branch.', 'major', 'major', 'minor', 'minor'),
  media: rule('Types and validators gain a key; what a call resolves to gets wider.', 'minor', 'minor', 'major', 'major'),
  wire: rule('The same input is sent in another form, and the former one is not understood.', 'patch', 'none', 'major', 'major'),
  input: rule('The flat input of the client has another field; the wire is the same.', 'patch', 'none', 'major', 'major'),
  locked: rule('Callers who were admitted are not.', 'patch', 'none', 'major', 'major'),
  unlocked: rule('More callers are admitted.', 'patch', 'none', 'minor', 'minor'),
  header: rule('Response headers are typed, and not validated.', 'minor', 'none', 'minor', 'minor'),
  headerGone: rule('A header that programs could count on may be missing. Headers are not validated.', 'major', 'none', 'major', 'major'),
  serverGone: rule('Programs that call this server must move.', 'none', 'none', 'major', 'major'),
  server: rule('Another server may be called.', 'none', 'none', 'minor', 'minor'),
  behaviour: rule('An input that leaves it out gets something else; the operation table tells what.', 'patch', 'none', 'minor', 'minor'),
  repeats: rule('The SDK repeats, or no longer repeats, a call whose answer was lost.', 'patch', 'none', 'none', 'minor'),
  pacing: rule('The SDK paces its calls by this fact.', 'patch', 'none', 'none', 'minor'),
  fact: rule('A fact of the operation table has another value of the same kind.', 'patch', 'none', 'none', 'patch'),
  tableOnly: rule('Only the operation table has it.', 'patch', 'none', 'none', 'none'),
  exported: rule('A constant of @farebox/types/operations is new.', 'minor', 'none', 'none', 'none'),
  exportedGone: rule('A constant of @farebox/types/operations is gone.', 'major', 'none', 'none', 'none'),
  schemaGained: rule('Types and zod export one schema more.', 'minor', 'minor', 'none', 'none'),
  schemaGone: rule('Types and zod no longer export what programs may import.', 'major', 'major', 'none', 'none'),
  schemaAnother: rule('No operation uses it, so nobody knows which way its values go.', 'major', 'major', 'none', 'none'),
  said: rule('Only the text changes that people read.', 'patch', 'patch', 'patch', 'patch'),
  marked: rule('Editors strike it through, or no longer do.', 'patch', 'none', 'patch', 'patch'),
  saidInTypes: rule('Only a comment in the types changes.', 'patch', 'none', 'none', 'none'),
  saidInClient: rule('Only a comment in the client changes.', 'none', 'none', 'patch', 'none'),
  nowhere: rule('No package carries it.', 'none', 'none', 'none', 'none'),
  unknown: rule('No rule knows this change, so the worst is assumed.', 'major', 'major', 'major', 'major'),
} as const satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

function rule(why: string, types: Verdict, zod: Verdict, client: Verdict, sdk: Verdict): Rule {
  return { why, verdicts: { types, zod, client, sdk } }
}
