import type { BodyFacts } from './call.js'
import { isFileInput } from './files.js'
import { InvalidInputError } from './invalid-input-error.js'
import { isRecord } from './text.js'

type Encode = BodyFacts['encode']

/** A form with parts of XML, which the caller writes. */
export type XmlParts<Form, Names extends PropertyKey> = {
  [Key in keyof Form]: Key extends Names
    ? Blob | string | (Form[Key] extends readonly unknown[] ? readonly (Blob | string)[] : never)
    : Form[Key]
}

/**
 * Writes a form, and rejects an object for a part of XML: no rule makes XML of every object, and
 * JSON under that name would be a lie.
 */
export function withXmlParts(encode: Encode): Encode {
  return (value, body, operation) => {
    for (const [name, { contentType = '' }] of Object.entries(body.encoding ?? {})) {
      const part = isRecord(value) ? value[name] : undefined
      const parts: readonly unknown[] = Array.isArray(part) ? part : [part]
      if (
        /[/+]xml\b/i.test(contentType) &&
        parts.some((one) => isRecord(one) && !isFileInput(one, 'values'))
      )
        throw new InvalidInputError(
          `${operation.id}: the part "${name}" is ${contentType}, so it must be a string or bytes; found an object. Write it as XML first.`,
        )
    }
    return encode(value, body, operation)
  }
}
