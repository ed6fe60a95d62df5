/** A package that goes to the registry; `path` is its folder from the root of the tree, `folder` the whole of it. */
export type Published = { readonly name: string; readonly version: string; readonly path: string; readonly folder: string }

export function published(root: string): readonly Published[]
