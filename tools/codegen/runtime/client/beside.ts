/**
 * A body beside fields that have the names `Taken`: its own fields of these names stand in
 * `requestBody`.
 */
export type Beside<Body, Taken extends PropertyKey> = Body extends unknown
  ? { [Key in keyof Body as Exclude<Key, Taken>]: Body[Key] } & Inner<
      Pick<Body, Taken & keyof Body>
    >
  : never

type Inner<Fields> =
  Partial<Fields> extends Fields
    ? { readonly requestBody?: Fields }
    : { readonly requestBody: Fields }
