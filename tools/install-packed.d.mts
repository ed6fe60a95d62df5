/** The SDK and what it needs in FOLDER/node_modules, as npm would install the published packages. */
export function installPacked(folder: string): Promise<void>
