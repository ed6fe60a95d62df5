/** A value of a parsed document. */
export type Node = { readonly [key: string]: unknown }

/** A place in a document. */
export type Location = {
  readonly child: (path: string | number | readonly (string | number)[]) => Location
  readonly key: () => Location
}

/** What Redocly passes to a rule about the visited node. */
export type Context = {
  readonly location: Location
  readonly key: string | number
  readonly type: { readonly name: string }
  readonly report: (problem: { readonly message: string; readonly location?: Location }) => void
  readonly resolve: (node: unknown) => { readonly node?: unknown; readonly location?: Location }
}

/** Called for each node of a type: before its children, or after them. */
export type Visit = (node: Node, context: Context) => void

/**
 * The visits of a rule by the type of node. A type inside another is visited only below it.
 * See https://redocly.com/docs/cli/custom-plugins/visitor
 */
export type Visitor = {
  readonly enter?: Visit
  readonly leave?: Visit
  readonly [type: string]: Visit | Visitor | undefined
}

/** Creates the visitor of a rule for one run, so that its state ends with the run. */
export type Rule = () => Visitor

/** Narrows to an object that is not a list. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The beginning of a message: the found value, or that it is missing. */
export function describeFound(name: string, value: unknown): string {
  return value === undefined ? `There is no ${name}` : `Found the ${name} ${JSON.stringify(value)}`
}
