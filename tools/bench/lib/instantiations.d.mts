/** How many instantiations the compiler makes to check five operations, by the way to call them. */
export function instantiations(): Readonly<Record<string, number>>
