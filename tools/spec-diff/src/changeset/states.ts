import type { Operation } from '@farebox/codegen/model'
import { hash, type Subject } from '../change/change.js'
import { callTitle } from '../compare/calls.js'
import type { Contract } from '../compare/contracts.js'
import { listBodyFacts } from '../compare/xml.js'

/** A hash of the description of each subject, regardless of its place in the files. */
export type States = ReadonlyMap<string, string>

/** The change of a subject between two documents. */
export type Step = { readonly subject: string; readonly from: string; readonly to: string }

/** The state of an absent subject. */
const absent = '-'

export function toSubjectKey(subject: Subject): string {
  return subject.kind === 'document' ? 'document' : `${subject.kind} ${subject.name}`
}

export function collectStates({ api, calls, extras, xml }: Contract): States {
  const { title, version, description, servers, securitySchemes, extensions } = api
  const findExtras = ({ method, path }: Operation) => extras?.get(`${method} ${path}`) ?? []
  const withXml = (state: unknown, facts: readonly string[] = []) =>
    facts.length === 0 ? state : [state, facts]
  const findXml = ({ method, path }: Operation) =>
    xml?.bodies.get(`${method} ${path}`)?.flatMap(listBodyFacts)
  return new Map([
    [
      toSubjectKey({ kind: 'document' }),
      toState([title, version, description, servers, securitySchemes, extensions]),
    ],
    ...api.schemas.map(({ name, key, schema }): [string, string] => [
      toSubjectKey({ kind: 'schema', name }),
      toState(withXml(schema, xml?.schemas.get(key))),
    ]),
    ...api.operations.map((one): [string, string] => [
      toSubjectKey({ kind: 'operation', name: one.id }),
      toState(withXml([one, findExtras(one)], findXml(one))),
    ]),
    ...(calls?.operations ?? []).map((one): [string, string] => [
      toSubjectKey({ kind: 'operation', name: callTitle(one) }),
      toState(one),
    ]),
  ])
}

function toState(value: unknown): string {
  return hash(
    JSON.stringify(value, (key, inner: unknown) =>
      key === 'origin' && isOrigin(inner) ? undefined : inner,
    ) ?? '',
  )
}

function isOrigin(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'file' in value && 'pointer' in value
}

/** The steps between two documents: one for each subject that differs. */
export function listSteps(before: States, after: States): readonly Step[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((subject) => ({
      subject,
      from: before.get(subject) ?? absent,
      to: after.get(subject) ?? absent,
    }))
    .filter(({ from, to }) => from !== to)
}

/** Whether a chain of steps leads from the start to the end of a step. */
export function coversStep(steps: readonly Step[], wanted: Step): boolean {
  const reached = new Set([wanted.from])
  for (const state of reached)
    for (const { subject, from, to } of steps)
      if (subject === wanted.subject && from === state) reached.add(to)
  return reached.has(wanted.to)
}
