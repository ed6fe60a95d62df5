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

/** The names of fields that hold the address of media. */
export const mediaField = /_urls?$/
