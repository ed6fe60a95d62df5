import { isRecord } from '@farebox/middleware'

/** A media file on disk (Node, Bun and Deno). It is sent as a data URL. */
export type LocalMedia = {
  readonly path: string
  /** Media type. Default: by the extension, for the formats that the contract names. */
  readonly type?: string
}

/** An input whose fields for media (`…_url`, `…_urls`) accept a file on disk too. */
export type WithLocalMedia<Input> = {
  readonly [Name in keyof Input]: Name extends `${string}_url`
    ? Input[Name] | LocalMedia
    : WithLocalItems<Name, Input[Name]>
}

type WithLocalItems<Name, Value> = Value extends readonly (infer Item)[]
  ? readonly (Name extends `${string}_urls`
      ? Item | LocalMedia
      : Item extends object
        ? WithLocalMedia<Item>
        : Item)[]
  : Value

/** Whether a field for media has an object where the contract has a string. */
export function hasLocalMedia(input: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(input).some(([name, value]) =>
    isMediaField(name)
      ? [value].flat().some(isRecord)
      : Array.isArray(value) && value.some((item) => isRecord(item) && hasLocalMedia(item)),
  )
}

/** Whether a field of this name holds the address of media. */
export function isMediaField(name: string): boolean {
  return /_urls?$/.test(name)
}
