import { pascalCase } from '@farebox/codegen/kit'
import ts from 'typescript'
import type { Owner } from '../contract/places.js'
import { findDeclarations, listParts, listProperties, findTypesAt } from './types.js'

/** What a consumer's program has of the generated code. */
export type GeneratedCode = {
  /** The files, which are not the consumer's own. */
  readonly files: ReadonlySet<ts.SourceFile>
  readonly declares: (declaration: ts.Declaration) => boolean
  readonly findTypes: (owner: Owner) => readonly ts.Type[]
  /** The type and the validator with the name of a schema. */
  readonly schema: (name: string) => readonly ts.Declaration[]
  /** What calls an operation: its method and its function. */
  readonly callees: (id: string) => readonly ts.Declaration[]
  /** Those of them that take the input of the operation. */
  readonly takers: (id: string) => readonly ts.Declaration[]
  /** Everything with the name of an operation. */
  readonly operation: (id: string) => readonly ts.Declaration[]
}

/** Finds the generated declarations of a program by their names in the contract. */
export function findGeneratedCode(program: ts.Program): GeneratedCode {
  const checker = program.getTypeChecker()
  const files = new Set(program.getSourceFiles().filter(isGenerated))
  const exported = collectExports(files, checker)
  const findByName = (name: string, flags: number) =>
    (exported.get(name) ?? []).filter((symbol) => (symbol.flags & flags) !== 0)
  const findTypeDeclarations = (name: string) =>
    findByName(name, typeFlags).flatMap((symbol) => findDeclarations(symbol, checker))
  const findDeclaredTypes = (name: string) =>
    findByName(name, typeFlags).map((symbol) => checker.getDeclaredTypeOfSymbol(symbol))
  const properties = (type: ts.Type, name: string) => listProperties(type, name, checker)
  const methods = (id: string) =>
    findDeclaredTypes('Operations').flatMap((type) => properties(type, id))
  const paths = (id: string) =>
    findDeclaredTypes('operations').flatMap((type) => properties(type, id))
  const findValueTypes = (name: string) =>
    findByName(name, ts.SymbolFlags.Variable).map((symbol) => checker.getTypeOfSymbol(symbol))
  const rows = (id: string) => findValueTypes('operations').flatMap((type) => properties(type, id))
  const handlers = (id: string) =>
    findDeclaredTypes('Handlers').flatMap((type) => properties(type, id))
  // a schema may have the name of a handler's request
  const server = new Set(findTypeDeclarations('Handlers').map((one) => one.getSourceFile()))
  const findServerTypes = (name: string) =>
    findByName(name, typeFlags).filter((symbol) =>
      symbol.declarations?.some((one) => server.has(one.getSourceFile())),
    )
  const findServed = (id: string) => {
    const [request = [], response = []] = listServerTypeNames(id).map((name) =>
      findServerTypes(name).map((symbol) => checker.getDeclaredTypeOfSymbol(symbol)),
    )
    return { request, response }
  }
  const signatures = (id: string) =>
    methods(id).flatMap((one) => checker.getTypeOfSymbol(one).getCallSignatures())
  const findTypes = (owner: Owner): readonly ts.Type[] => {
    if (owner.kind === 'schema')
      return [
        ...findDeclaredTypes(owner.name),
        ...findValueTypes(owner.name).flatMap((type) => listValidated(type, checker)),
      ]
    const path = paths(owner.operation).map((one) => checker.getTypeOfSymbol(one))
    if (owner.kind === 'input')
      return signatures(owner.operation).flatMap(({ parameters: [input] }) =>
        input ? checker.getTypeOfSymbol(input) : [],
      )
    const { request, response } = findServed(owner.operation)
    if (owner.kind === 'parameters')
      return [
        ...findTypesAt(path, ['parameters', owner.in], checker),
        ...findTypesAt(request, [toServerGroup(owner.in)], checker),
      ]
    if (owner.kind === 'body')
      return [
        ...listContents(findTypesAt(path, ['requestBody'], checker), checker),
        ...findTypesAt(request, ['body'], checker),
      ]
    const results = signatures(owner.operation).flatMap((signature) =>
      findResult(signature, owner.status, checker),
    )
    const responses = response.flatMap((type) =>
      listParts(type, checker).filter((part) => hasStatus(part, owner.status, checker)),
    )
    const contents = listContents(findTypesAt(path, ['responses', owner.status], checker), checker)
    return [...results, ...contents, ...findTypesAt(responses, ['body'], checker)]
  }
  const declarations = (symbols: readonly ts.Symbol[]) =>
    symbols.flatMap((symbol) => findDeclarations(symbol, checker))
  const functions = (names: readonly string[]) =>
    names.flatMap((name) => findByName(name, ts.SymbolFlags.Function))
  const takers = (id: string) =>
    declarations([...methods(id), ...functions([id, `${id}Query`, `${id}InfiniteQuery`])])
  const callees = (id: string) => [...takers(id), ...declarations(functions([`${id}Mutation`]))]
  return {
    files,
    declares: (declaration) => files.has(declaration.getSourceFile()),
    findTypes,
    callees,
    takers,
    schema: (name) => declarations(findByName(name, typeFlags | ts.SymbolFlags.Variable)),
    operation: (id) => [
      ...callees(id),
      ...declarations([
        ...paths(id),
        ...rows(id),
        ...handlers(id),
        ...findByName(id, ts.SymbolFlags.Variable),
      ]),
      ...declarations([
        ...functions([`${id}Key`]),
        ...listTypeNames(id).flatMap((name) => findByName(name, typeFlags)),
      ]),
      ...declarations(listServerTypeNames(id).flatMap(findServerTypes)),
    ],
  }
}

/** The types of the input and of the result of an operation. */
export function listTypeNames(id: string): readonly string[] {
  return [`${pascalCase(id)}Input`, `${pascalCase(id)}Result`]
}

/** The types of the request and the response of a handler in a generated server. */
export function listServerTypeNames(id: string): readonly string[] {
  return [`${pascalCase(id)}Request`, `${pascalCase(id)}Response`]
}

/** The group of parameters in what a handler gets. */
export function toServerGroup(place: string): string {
  return place === 'header' ? 'headers' : place === 'cookie' ? 'cookies' : place
}

/** The functions of a generated client and of queries. */
export function listFunctionNames(id: string): readonly string[] {
  return [id, `${id}Key`, `${id}Query`, `${id}InfiniteQuery`, `${id}Mutation`]
}

const typeFlags: number = ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface

/**
 * The compiler drops the banner from declarations, so a published package is known by its folder
 * and by the origin in its comments.
 */
export function isGenerated({ fileName, text }: ts.SourceFile): boolean {
  if (/^\/\/ Generated by the \S+ emitter of farebox-codegen/.test(text)) return true
  if (!/\/generated\/[^/]+\.d\.[cm]?ts$/.test(fileName)) return false
  return /@see \S+\.(?:ya?ml|json)\b|^export interface paths\b/m.test(text)
}

/** What each file declares and exports, by name. */
function collectExports(
  files: ReadonlySet<ts.SourceFile>,
  checker: ts.TypeChecker,
): ReadonlyMap<string, readonly ts.Symbol[]> {
  const symbols = new Map<string, ts.Symbol[]>()
  for (const file of files)
    for (const symbol of checker.getSymbolAtLocation(file)?.exports?.values() ?? []) {
      if ((symbol.flags & ts.SymbolFlags.Alias) !== 0) continue
      const name = symbol.name
      symbols.set(name, [...(symbols.get(name) ?? []), symbol])
    }
  return symbols
}

/** What a validator returns, and its own properties. */
function listValidated(type: ts.Type, checker: ts.TypeChecker): readonly ts.Type[] {
  return [
    ...findTypesAt([type], ['_zod', 'output'], checker),
    ...findTypesAt([type], ['shape'], checker),
  ]
}

/** The bodies by media type. */
function listContents(types: readonly ts.Type[], checker: ts.TypeChecker): readonly ts.Type[] {
  return findTypesAt(types, ['content'], checker).flatMap((content) =>
    content.getProperties().map((one) => checker.getTypeOfSymbol(one)),
  )
}

function findResult(
  signature: ts.Signature,
  status: string,
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  const result = checker.getAwaitedType(signature.getReturnType())
  const members = result === undefined ? [] : listParts(result, checker)
  return members
    .filter((member) => hasStatus(member, status, checker))
    .flatMap((member) => [
      ...findTypesAt([member], ['data'], checker),
      ...findTypesAt([member], ['error'], checker),
    ])
}

function hasStatus(type: ts.Type, status: string, checker: ts.TypeChecker): boolean {
  return findTypesAt([type], ['status'], checker).some(
    (one) => one.isNumberLiteral() && String(one.value) === status,
  )
}
