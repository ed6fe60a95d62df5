import { isRecord } from '@farebox/middleware'

/** A media file on disk (Node, Bun and Deno), which is sent as a data URL. */
export type LocalMedia = {
  readonly path: string
  /** Media type. Default: by the end of the name, for the formats that the contract names. */
  readonly type?: string
}

/** An input whose fields for media (`…_url`, `…_urls`) take a file on disk as well. */
export type WithLocalMedia<Input> = {
  readonly [Name in keyof Input]: Name extends `${string}_url` ? Input[Name] | LocalMedia : WithLocalItems<Name, Input[Name]>
}

type WithLocalItems<Name, Value> = Value extends readonly (infer Item)[]
  ? readonly (Name extends `${string}_urls` ? Item | LocalMedia : Item extends object ? WithLocalMedia<Item> : Item)[]
  : Value

/** Whether a field for media has an object where the contract has a text. */
export function namesFile(input: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(input).some(([name, value]) =>
    isMedia(name) ? [value].flat().some(isRecord) : Array.isArray(value) && value.some((item) => isRecord(item) && namesFile(item)),
  )
}

/** Whether the contract has the address of media in a field of this name. */
export function isMedia(name: string): boolean {
  return /_urls?$/.test(name)
}
