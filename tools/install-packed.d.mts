/**
 * The SDK and what it needs in FOLDER/node_modules, as npm would install the published packages.
 * Nothing outside of the folder is written.
 */
export function installPacked(folder: string): Promise<void>

/** The same from the tarballs that a release would publish. */
export function installTarballs(folder: string): Promise<void>
