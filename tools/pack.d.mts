/** Writes the files that `publishConfig.exports` of the package in `folder` names under dist/packed. Build the package first. */
export function pack(folder: string): Promise<void>
