import type { Change, Contract } from '@farebox/spec-diff'
import ts from 'typescript'
import {
  collectPlaces,
  type ContractPlace,
  type ContractPlaces,
  type Owner,
} from '../contract/places.js'
import { findFormerNames, listPlacesBefore } from '../contract/former.js'
import type { GeneratedCode } from '../code/generated-code.js'
import { rules, type Rule } from './rules.js'
import {
  findDeclarationsAt,
  findDeclarations,
  listParts,
  listProperties,
  findTypesAt,
} from '../code/types.js'

type Declarations = ReadonlySet<ts.Declaration>

/** The declarations of the consumer's generated code that a change touches. */
export type Target = {
  readonly change: Change
  readonly rule: Rule
  /** Operations, or the names of schemas. */
  readonly named: Declarations
  /** Methods and functions that call the operations. */
  readonly callees: Declarations
  /** The operations as path and method. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  /** The properties that the change is about. */
  readonly properties: Declarations
  /** The same as fields of inputs, including inputs that a wrapper declares again. */
  readonly fields: readonly { readonly name: string; readonly callees: Declarations }[]
  /** The same as parameters of calls by path. */
  readonly parameters: readonly { readonly in: string; readonly name: string }[]
  /** The named schemas whose values are the changed ones. */
  readonly aliases: Declarations
  /** The name of a property that an object may lack, and the other properties of such an object. */
  readonly lacking?: {
    readonly name: string
    readonly siblings: Declarations
    readonly inputs: ReadonlySet<ts.Symbol>
    readonly isNew: boolean
  }
}

/** The targets of the changes that may touch code. */
export function findTargets(
  changes: readonly Change[],
  { base, head }: { readonly base: Contract; readonly head: Contract },
  code: GeneratedCode,
  checker: ts.TypeChecker,
): readonly Target[] {
  const former = findFormerNames(changes, { base, head })
  const places = { base: collectPlaces(base.api), head: collectPlaces(head.api, former) }
  return changes.flatMap((change) => {
    // who makes a response, as a mock does, must make a new field only if it is required
    const isOptional = addsField.has(change.code) && !places.head.isRequired(change.place)
    const rule = isOptional ? undefined : rules[change.code]
    return rule === undefined
      ? []
      : [
          findTarget(
            change,
            rule,
            { places, api: base.api, idBefore: former.operation },
            code,
            checker,
          ),
        ]
  })
}

const addsField = new Set<Change['code']>([
  'response-property-added',
  'response-property-added-closed',
])

/** The older version, and the places of both. Operations have the ids of the consumer's code. */
type Before = {
  readonly api: Contract['api']
  readonly places: { readonly base: ContractPlaces; readonly head: ContractPlaces }
  readonly idBefore: (id: string) => string
}

function findTarget(
  change: Change,
  rule: Rule,
  { places, api, idBefore }: Before,
  code: GeneratedCode,
  checker: ts.TypeChecker,
): Target {
  const ids = change.operations.map(idBefore)
  const operations = api.operations.filter(({ id }) => ids.includes(id))
  const names = change.subject.kind === 'schema' ? listSchemaNames(change) : []
  const found = listPlacesBefore(change, places[change.place.side], api).filter((place) =>
    concerns(place.owner, change, idBefore),
  )
  const all = found.flatMap((place) => [place, ...findOperationPlaces(place, places.base)])
  const properties = all
    .flatMap((place) => findDeclarationsAt(code.findTypes(place.owner), place.path, checker))
    .filter(code.declares)
  const aliases = all.flatMap(({ owner, path }) =>
    owner.kind === 'schema' && path.length === 0 ? code.schema(owner.name) : [],
  )
  const lacking = findLacking(all, properties, code, checker)
  return {
    change,
    rule,
    named: new Set(
      rule.reach === 'schema' ? names.flatMap(code.schema) : ids.flatMap(code.operation),
    ),
    callees: new Set(ids.flatMap(code.callees)),
    routes: operations.map(({ method, path }) => ({ method: method.toUpperCase(), path })),
    properties: new Set(properties),
    fields: all.flatMap(({ owner, path: [name, ...more] }) =>
      owner.kind === 'input' && typeof name === 'string' && more.length === 0
        ? { name, callees: new Set(code.takers(owner.operation)) }
        : [],
    ),
    parameters: all.flatMap(({ owner, path: [name] }) =>
      owner.kind === 'parameters' && typeof name === 'string' ? { in: owner.in, name } : [],
    ),
    aliases: new Set(aliases),
    ...(rule.reach === 'left-out' && lacking && { lacking }),
  }
}

/** A renamed schema is reported by its new name. */
function listSchemaNames({ code, subject, from }: Change): readonly string[] {
  const name = subject.kind === 'schema' ? subject.name : ''
  return [code === 'schema-renamed' ? String(from) : name]
}

/** A component may be used by several operations, each with its own change. */
function concerns(owner: Owner, { subject }: Change, idBefore: Before['idBefore']): boolean {
  return (
    owner.kind === 'schema' ||
    subject.kind !== 'operation' ||
    owner.operation === idBefore(subject.name)
  )
}

/**
 * The same place in what refers to the named schema: as a whole, or as the input of an operation.
 */
function findOperationPlaces(
  { owner, path }: ContractPlace,
  places: ContractPlaces,
): readonly ContractPlace[] {
  if (owner.kind !== 'schema') return []
  const uses = places.listUses(owner.name)
  return path.every((step) => step === null)
    ? uses
    : uses
        .filter((use) => use.owner.kind !== 'schema')
        .map((use) => ({ owner: use.owner, path: [...use.path, ...path] }))
}

function findLacking(
  places: readonly ContractPlace[],
  properties: readonly ts.Declaration[],
  code: GeneratedCode,
  checker: ts.TypeChecker,
): Target['lacking'] {
  const name = places.map(({ path }) => path.at(-1)).find((step) => typeof step === 'string')
  if (name === undefined) return undefined
  const parents = (place: ContractPlace) =>
    findTypesAt(code.findTypes(place.owner), place.path.slice(0, -1), checker).flatMap((type) =>
      listParts(type, checker),
    )
  // a body is part of the input, so its properties do not identify an input without the parameter
  const isParameter = places.some(({ owner }) => owner.kind === 'parameters')
  const siblings = places
    .filter(
      ({ owner, path }) => path.at(-1) === name && (!isParameter || owner.kind === 'parameters'),
    )
    .flatMap(parents)
    .flatMap((type) => type.getProperties())
  const inputs = places.flatMap(({ owner, path }) =>
    owner.kind === 'input' && path.length === 1 ? code.findTypes(owner) : [],
  )
  return {
    name,
    // strings and arrays have members as well, which no contract declares
    siblings: new Set(
      siblings.flatMap((symbol) => findDeclarations(symbol, checker)).filter(code.declares),
    ),
    inputs: new Set(
      inputs
        .flatMap((type) => listParts(type, checker))
        .flatMap(({ aliasSymbol }) => aliasSymbol ?? []),
    ),
    isNew: properties.length === 0,
  }
}

/** Whether a type has one of the properties under this name. */
export function hasProperty(
  type: ts.Type,
  name: string,
  declarations: Declarations,
  checker: ts.TypeChecker,
): boolean {
  return listProperties(type, name, checker).some((symbol) =>
    findDeclarations(symbol, checker).some((one) => declarations.has(one)),
  )
}

/** A node that a change touches. */
export type Use = { readonly target: Target; readonly node: ts.Node; readonly compiler: boolean }

/** Finds what the changes of one kind touch at a node. */
export type Finder = (
  node: ts.Node,
  targets: readonly Target[],
  checker: ts.TypeChecker,
) => readonly Use[]

/** A use with the compiler verdict of the rule, unless the place overrides it. */
export function createUse(target: Target, node: ts.Node, compiler = target.rule.compiler): Use {
  return { target, node, compiler }
}

export function meet(
  declarations: readonly ts.Declaration[],
  wanted: ReadonlySet<ts.Declaration>,
): boolean {
  return declarations.some((one) => wanted.has(one))
}

/** An identifier or a string that can name something. Quotes of imports name a module. */
export function isNaming(node: ts.Node): node is ts.Identifier | ts.StringLiteralLike {
  return (
    ts.isIdentifier(node) ||
    (ts.isStringLiteralLike(node) &&
      !ts.isImportDeclaration(node.parent) &&
      !ts.isExportDeclaration(node.parent))
  )
}

/** `a` in `import { a as b }`: `b` refers to the same declaration. */
export function isFormerName(node: ts.Node): boolean {
  return (
    (ts.isImportSpecifier(node.parent) || ts.isExportSpecifier(node.parent)) &&
    node.parent.propertyName === node
  )
}
