/**
 * A place in a source file: a path relative to the working directory, line and column counted from
 * 1, a pointer into that file.
 */
export type Place = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly pointer: string
  /** Where the file could be read. */
  readonly excerpt?: Excerpt
}

/** At most 120 characters of a line around a place, and where in them the place is, from 0. */
export type Excerpt = { readonly text: string; readonly caret: number }

export type Severity = 'error' | 'warning'

type Entry = {
  readonly severity: Severity
  readonly cause: string
  readonly fix: string
  /** How the generator repairs an error, instead of leaving something out. */
  readonly mended?: string
  /** A request without effect. With `strict`, it is an error. */
  readonly instruction?: true
}

/**
 * Every diagnostic about a document. A warning fails nothing. With `strict`, an error rejects the
 * document; otherwise the faulty part is left out or repaired.
 */
export const catalogue = {
  FB1001: {
    severity: 'error',
    cause: 'The document cannot be read.',
    fix: 'Check the path and the permissions of the file, or the address and its credentials.',
  },
  FB1002: {
    severity: 'error',
    cause: 'The file is not valid YAML or JSON.',
    fix: 'Correct the syntax here. Often it is the indentation, a quote or a comma.',
  },
  FB1003: {
    severity: 'error',
    cause: 'An object has the same key twice.',
    fix: 'Remove or rename one of the two.',
  },
  FB1004: {
    severity: 'error',
    cause: 'The file is not an OpenAPI document.',
    fix: 'Pass the entry file, which begins with `openapi: 3.1.0`.',
  },
  FB1005: {
    severity: 'error',
    cause: 'The Swagger 2.0 document cannot be converted to OpenAPI 3.0.',
    fix: 'Correct what the message names; `npx swagger2openapi` prints details.',
  },
  FB1006: {
    severity: 'error',
    cause: 'This version of OpenAPI is not supported.',
    fix: 'Use OpenAPI 3.0.x, 3.1.x or 3.2.x, or Swagger 2.0.',
  },
  FB1007: {
    severity: 'error',
    cause: 'The document is nested too deeply.',
    fix: 'Move inner schemas to components and refer to them.',
  },
  FB1008: {
    severity: 'error',
    cause: 'So many references are replaced by their targets that the document would be too large.',
    fix: 'Use fewer nested references, except to schemas, which are never copied.',
  },
  FB1009: {
    severity: 'warning',
    cause: 'The specification has no such field here, so it is ignored.',
    fix: 'Correct its name. Names of custom fields begin with x-.',
  },
  FB1010: {
    severity: 'error',
    cause: 'The overlay cannot be applied.',
    fix: 'Correct the overlay; it follows OpenAPI Overlay 1.0, 1.1 or 1.2, and targets are JSONPath as in RFC 9535.',
  },
  FB1011: {
    severity: 'error',
    cause: 'The file has bytes that are not UTF-8.',
    fix: 'Save the file in UTF-8.',
    mended: 'Each of them is replaced by U+FFFD.',
  },
  FB1012: {
    severity: 'warning',
    cause: 'An action of the overlay selects nothing, so it changes nothing.',
    fix: 'Correct its target, or remove the action.',
    instruction: true,
  },
  FB1013: {
    severity: 'warning',
    cause: 'A filter matches no operation, so it has no effect.',
    fix: 'Correct the filter, or remove it.',
    instruction: true,
  },
  FB1014: {
    severity: 'error',
    cause: 'No operation matches the filters.',
    fix: 'Include existing operations, or exclude fewer.',
  },
  FB2001: {
    severity: 'error',
    cause: 'The target of a $ref does not exist.',
    fix: 'Correct the pointer, or add the target.',
  },
  FB2002: {
    severity: 'error',
    cause: 'A $ref names a file that cannot be read.',
    fix: 'Correct the path, which is relative to the file with the $ref.',
  },
  FB2003: {
    severity: 'error',
    cause: 'A $ref leads out of the folder of the document.',
    fix: 'Move the file into the folder, or pass --allow-refs if you trust everything that the document refers to.',
  },
  FB2004: {
    severity: 'error',
    cause: 'A $ref leads back to itself and never to a schema.',
    fix: 'Give one member of the circle its own schema.',
  },
  FB2005: {
    severity: 'error',
    cause: 'A reference contains itself, which only schemas may do.',
    fix: 'Break the circle: inline one of its members.',
  },
  FB2006: {
    severity: 'error',
    cause: '$dynamicRef has a different target for each path to it, and there are too many paths.',
    fix: 'Use $ref to the intended schemas.',
  },
  FB2007: {
    severity: 'error',
    cause: 'The target of a $ref is an object of another kind.',
    fix: 'Refer to an object of the expected kind.',
  },
  FB3001: {
    severity: 'error',
    cause: 'The type is not one of JSON Schema.',
    fix: 'Use one of the seven types; dates, files and the like are `type: string` with a `format`.',
  },
  FB3002: {
    severity: 'error',
    cause: 'The keyword has a value of the wrong kind.',
    fix: 'Correct the value, or remove the keyword.',
  },
  FB3003: {
    severity: 'error',
    cause: 'The enum is empty, so no value can be valid.',
    fix: 'List the values, or remove the keyword.',
    mended: 'The enum is kept: no value is valid.',
  },
  FB3004: {
    severity: 'warning',
    cause: 'The lower bound is above the upper bound, so no value can be valid.',
    fix: 'Swap or correct the bounds.',
  },
  FB3005: {
    severity: 'error',
    cause:
      'The pattern for names of properties is not a regular expression of ECMA-262 with the u flag.',
    fix: 'Correct the pattern. JSON Schema has no inline flags, \\A, \\Z or possessive quantifiers.',
  },
  FB3006: {
    severity: 'warning',
    cause: 'The pattern is valid only without the u flag, and was read without it.',
    fix: 'Write it in the strict form.',
  },
  FB3007: {
    severity: 'error',
    cause: 'This is not a schema.',
    fix: 'Write an object or, since OpenAPI 3.1, true or false.',
  },
  FB3008: {
    severity: 'error',
    cause: '`required` is not an array of property names.',
    fix: 'List the names in `required` of the object that has the properties.',
  },
  FB3009: {
    severity: 'warning',
    cause: 'The pattern is not a regular expression of ECMA-262 with the u flag, so it is ignored.',
    fix: 'Correct the pattern. JSON Schema has no inline flags, no \\A, \\Z or \\p{Alnum}, and no possessive quantifiers.',
  },
  FB3010: {
    severity: 'warning',
    cause: 'The example does not fit its schema.',
    fix: 'Correct the example, or the schema if the example is real.',
  },
  FB3011: {
    severity: 'warning',
    cause: 'The default does not fit its schema.',
    fix: 'Correct the default, or the schema.',
  },
  FB3012: {
    severity: 'warning',
    cause:
      'The pattern takes too long on this string: whoever sends such strings can stall a validator.',
    fix: 'Write the pattern without nested repetitions such as (a+)+ or (\\w*)*.',
  },
  FB3013: {
    severity: 'warning',
    cause: 'An array of OpenAPI 3.0 must have `items`; its elements are `unknown`.',
    fix: 'Describe the elements in `items`.',
  },
  FB3014: {
    severity: 'error',
    cause: '`type: null` is unquoted, which YAML reads as no value.',
    fix: 'Put it in quotes, as in `type: [string, "null"]`.',
    mended: 'It is read as "null".',
  },
  FB3015: {
    severity: 'warning',
    cause: 'A date or an int64 cannot be converted and stays as in JSON.',
    fix: 'Give options a discriminator or types that differ, or state the property in one place; or expect the string or the number here.',
  },
  FB3016: {
    severity: 'warning',
    cause: 'An x- field of the schema has an invalid value, and is ignored.',
    fix: 'Correct the value, or remove the field.',
    instruction: true,
  },
  FB3017: {
    severity: 'warning',
    cause: 'Bytes cannot be part of JSON or of other text, so `format: binary` is a string here.',
    fix: 'Describe it by the encoding that is sent, as `format: byte` for Base64, or send it as a part of a form.',
  },
  FB3018: {
    severity: 'warning',
    cause: 'An object with `additionalProperties: false` rejects properties of a schema beside it.',
    fix: 'Close the whole with `unevaluatedProperties: false` (OpenAPI 3.1), name the properties in the closed object too, or leave it open.',
  },
  FB3019: {
    severity: 'warning',
    cause: 'Beside a $ref OpenAPI 3.0 allows nothing else, so the keyword is ignored.',
    fix: 'Write the reference into `allOf: [{ $ref: … }]`, which leaves room for the keyword.',
  },
  FB4001: {
    severity: 'error',
    cause: 'Two operations have the same operationId.',
    fix: 'Rename one of them. In a path item that two paths refer to, leave operationId out: names are then derived from the paths.',
    mended: 'The second operation gets its own name, such as getPet2.',
  },
  FB4002: {
    severity: 'error',
    cause: 'The path has a template that no parameter declares.',
    fix: 'Add a parameter with `in: path` and this name, and `required: true`.',
    mended: 'The parameter is declared: a string, required.',
  },
  FB4003: {
    severity: 'warning',
    cause: 'A path parameter does not occur in the path, and is left out.',
    fix: 'Add {name} to the path, or remove the parameter.',
  },
  FB4004: {
    severity: 'warning',
    cause: 'A security requirement names an unknown scheme.',
    fix: 'Add the scheme to components.securitySchemes, or correct the name.',
  },
  FB4005: {
    severity: 'error',
    cause: 'The operation declares no responses.',
    fix: 'Declare at least one response, which OpenAPI 3.0 requires.',
    mended: 'The operation is read as in OpenAPI 3.1: any response is possible.',
  },
  FB4006: {
    severity: 'error',
    cause: 'The key is not a status.',
    fix: 'Use a status from 100 to 599, a range such as 4XX, or default.',
  },
  FB4007: {
    severity: 'warning',
    cause: 'Two fields of the input have the same name, or one has a name that the client uses.',
    fix: 'Rename one of them in the document if you want to choose the name.',
  },
  FB4008: {
    severity: 'error',
    cause: 'The parameter lacks a name or a place.',
    fix: 'Give it `name`, and `in` as path, query, header or cookie.',
  },
  FB4009: {
    severity: 'error',
    cause: 'The parameter has neither schema nor content.',
    fix: 'Give it a schema.',
  },
  FB4010: {
    severity: 'warning',
    cause: 'OpenAPI ignores this header as a parameter.',
    fix: 'Remove it: media types and security schemes set it.',
  },
  FB4011: {
    severity: 'error',
    cause: 'The path does not begin with a slash.',
    fix: 'Begin it with a slash.',
  },
  FB4012: {
    severity: 'error',
    cause: 'OpenAPI requires an object or an array here.',
    fix: 'Correct the structure at this place.',
  },
  FB4013: {
    severity: 'error',
    cause: 'The style does not exist for parameters at this place.',
    fix: 'Use a style that OpenAPI allows there.',
  },
  FB4014: {
    severity: 'error',
    cause: 'Two different parameters of one list have the same name and place.',
    fix: 'Remove or rename one of the two. Header names are case-insensitive; only an operation may replace a parameter of its path.',
  },
  FB4015: {
    severity: 'error',
    cause: 'Two responses have the same status.',
    fix: 'Remove one of the two, or merge them.',
  },
  FB4016: {
    severity: 'warning',
    cause:
      'A webhook or an unused path item has the operationId of another operation, which keeps the name.',
    fix: 'Give it a unique operationId.',
  },
  FB4017: {
    severity: 'warning',
    cause: 'A fact of the operation has an invalid value; it is left out.',
    fix: 'Correct the value of the x- field, or remove the field.',
    instruction: true,
  },
  FB4018: {
    severity: 'warning',
    cause: 'An output cannot interpret an extension of the document, and ignores it.',
    fix: 'Correct the value, or remove the field.',
    instruction: true,
  },
  FB4030: {
    severity: 'error',
    cause:
      'The whole query is one parameter (`in: querystring`), and there is another one in the query.',
    fix: 'Describe the other in the schema of the querystring, or write each as a query parameter.',
  },
  FB4032: {
    severity: 'warning',
    cause: 'A part of a form is an object that is sent as XML, which the client does not write.',
    fix: 'Send it as JSON, or write the XML in the program: the client accepts a string or a Blob for it.',
  },
  FB4031: {
    severity: 'error',
    cause: '`additionalOperations` has a method that has its own field.',
    fix: 'Move the operation to that field, in lower case.',
  },
  FB4033: {
    severity: 'warning',
    cause: 'The URL of a server has a variable without a default, so the server is left out.',
    fix: 'Describe it in `variables` of the server, with a `default`.',
  },
  FB4034: {
    severity: 'error',
    cause: '`additionalOperations` has a key that is not an HTTP method.',
    fix: 'Write the method as it is sent: letters, digits and the signs of a token (RFC 9110, section 5.6.2).',
  },
  FB4035: {
    severity: 'warning',
    cause: '`fetch` does not send this method, so the generated client cannot call the operation.',
    fix: 'Leave the operation out with --exclude, or call it without the client.',
  },
  FB4036: {
    severity: 'warning',
    cause: 'A path has a fragment, which is never sent, or a query.',
    fix: 'Write the query as parameters, and give each operation a path of its own.',
  },
  FB4037: {
    severity: 'warning',
    cause: 'A request with this method has no body, so its body is left out.',
    fix: 'Describe the fields as query parameters, or use POST, or QUERY of OpenAPI 3.2.',
  },
  FB4038: {
    severity: 'warning',
    cause: 'A response to HEAD, or with the status 204, 205 or 304, has no content.',
    fix: 'Remove the content, or declare the status that has it.',
  },
  FB4039: {
    severity: 'warning',
    cause: 'OpenAPI 3 has no counterpart of this format of an array, so another one is sent.',
    fix: 'Use another collectionFormat. In a query or a form, tsv is now a pair for each item. An array in a path or a header has commas now; in a response, the header is read as a string.',
  },
  FB4040: {
    severity: 'warning',
    cause: 'Two operations have one method and paths that differ only in the names of variables.',
    fix: 'Give one of them another path or method: no server can tell them apart (OpenAPI, "Paths Object").',
  },
  FB4041: {
    severity: 'warning',
    cause: 'A part of a form must have a header that the client does not write.',
    fix: 'Describe the value as a field of the form, or make the header optional.',
  },
} as const satisfies Record<string, Entry>

export type Code = keyof typeof catalogue

export function isMended(code: Code): boolean {
  const entry: Entry = catalogue[code]
  return entry.mended !== undefined
}

/** Whether it is about a request without effect. */
export function isInstruction(code: Code): boolean {
  const entry: Entry = catalogue[code]
  return entry.instruction === true
}

/** An error or a warning: its place, the found and the expected value. */
export type Diagnostic = {
  readonly code: Code
  readonly severity: Severity
  readonly place: Place
  readonly found: string
  readonly expected: string
}

export type Report = (code: Code, place: Place, found: string, expected: string) => void

/**
 * Collects distinct diagnostics, sorted by place. To sort them is to find their lines: `errors` does so
 * for errors only.
 */
export function collectDiagnostics(): {
  readonly report: Report
  readonly all: () => readonly Diagnostic[]
  readonly errors: () => readonly Diagnostic[]
} {
  const found = new Map<string, Diagnostic>()
  return {
    report: (code, place, what, expected) => {
      const key = `${code} ${place.file} ${place.pointer} ${what}`
      if (!found.has(key))
        found.set(key, { code, severity: catalogue[code].severity, place, found: what, expected })
    },
    all: () => [...found.values()].sort(comparePlaces),
    errors: () =>
      [...found.values()].filter(({ severity }) => severity === 'error').sort(comparePlaces),
  }
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error')
}

/** Makes requests without effect errors. */
export function toStrict(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.map((one) => (isInstruction(one.code) ? { ...one, severity: 'error' } : one))
}

/** Formats a diagnostic. Editors and terminals make the place at its start clickable. */
export function formatDiagnostic({ code, severity, place, found, expected }: Diagnostic): string {
  const { cause, fix, mended }: Entry = catalogue[code]
  return [
    `${place.file}:${place.line}:${place.column} ${severity} ${code}: ${cause}`,
    ...formatExcerpt(place),
    `    at        #${place.pointer.length > 300 ? `${place.pointer.slice(0, 300)}…` : place.pointer}`,
    `    found     ${found}`,
    `    expected  ${expected}`,
    ...(severity === 'warning' && mended !== undefined ? [`    instead   ${mended}`] : []),
    `    to do     ${fix}`,
  ].join('\n')
}

/** A part of the line with a caret below the place. */
function formatExcerpt({ line, excerpt }: Place): readonly string[] {
  if (excerpt === undefined || excerpt.text.trim() === '') return []
  const number = `${' '.repeat(4)}${line} | `
  return [
    `${number}${toPrintable(excerpt.text).trimEnd()}`,
    `${' '.repeat(number.length - 2)}| ${' '.repeat(excerpt.caret)}^`,
  ]
}

/** A document value in one short line for `found`. Document text is never printed raw. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value))
    return value.length > 8 ? `an array of ${value.length}` : abbreviate(value)
  return typeof value === 'object' && value !== null
    ? abbreviate(value, 'an object')
    : abbreviate(value)
}

/** Text in one line: a name may contain a line break, which would end a comment. */
export function toPrintable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '?')
}

const longest = 120

function abbreviate(value: unknown, instead?: string): string {
  let text: string
  try {
    text = JSON.stringify(value) ?? String(value)
  } catch {
    return instead ?? 'a value nested too deeply to print'
  }
  if (text.length <= longest) return text
  return instead ?? `${text.slice(0, longest)}…`
}

function comparePlaces(a: Diagnostic, b: Diagnostic): number {
  if (a.place.file !== b.place.file) return a.place.file < b.place.file ? -1 : 1
  return (
    a.place.line - b.place.line || a.place.column - b.place.column || (a.code < b.code ? -1 : 1)
  )
}
