import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { character } from '../arbitraries/scalars.js'
import { serializeParameter, type StyledParameter } from './serialize.js'

const list = ['blue', 'black', 'brown']
const record = { R: 100, G: 200, B: 150 }

function createParameter(
  style: string,
  explode: boolean,
  more: Partial<StyledParameter> = {},
): StyledParameter {
  const place = style === 'matrix' || style === 'label' || style === 'simple' ? 'path' : 'query'
  return { name: 'color', in: place, style, explode, ...more }
}

describe("the table of OpenAPI 3.1's styles", () => {
  it.each([
    // style, explode, empty, string, array, object
    [
      'matrix',
      false,
      ';color',
      ';color=blue',
      ';color=blue,black,brown',
      ';color=R,100,G,200,B,150',
    ],
    [
      'matrix',
      true,
      ';color',
      ';color=blue',
      ';color=blue;color=black;color=brown',
      ';R=100;G=200;B=150',
    ],
    ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
    ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    [
      'form',
      true,
      'color=',
      'color=blue',
      'color=blue&color=black&color=brown',
      'R=100&G=200&B=150',
    ],
    [
      'spaceDelimited',
      false,
      'color=',
      'color=blue',
      'color=blue%20black%20brown',
      'color=R%20100%20G%20200%20B%20150',
    ],
    [
      'pipeDelimited',
      false,
      'color=',
      'color=blue',
      'color=blue%7Cblack%7Cbrown',
      'color=R%7C100%7CG%7C200%7CB%7C150',
    ],
    // "n/a" in the table: taken for form, as the wording of OpenAPI 3.0 has it
    [
      'spaceDelimited',
      true,
      'color=',
      'color=blue',
      'color=blue&color=black&color=brown',
      'R=100&G=200&B=150',
    ],
    [
      'pipeDelimited',
      true,
      'color=',
      'color=blue',
      'color=blue&color=black&color=brown',
      'R=100&G=200&B=150',
    ],
    // "n/a" but for objects
    [
      'deepObject',
      true,
      'color=',
      'color=blue',
      'color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown',
      'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
    ],
  ])('%s, explode %s', (style, explode, empty, string, array, object) => {
    const facts = createParameter(style, explode)
    expect(['', 'blue', list, record].map((value) => serializeParameter(facts, value))).toEqual([
      empty,
      string,
      array,
      object,
    ])
  })
})

describe('omitted values', () => {
  const styles = [
    'matrix',
    'label',
    'simple',
    'form',
    'spaceDelimited',
    'pipeDelimited',
    'deepObject',
  ]
  const all = styles.flatMap((style) => [
    createParameter(style, false),
    createParameter(style, true),
  ])

  it.each(all)(
    '$style, explode $explode: null, undefined, and empty arrays and objects',
    (facts) => {
      const nothing = [null, undefined, [], [null, undefined], {}, { a: null, b: undefined }]
      expect(nothing.map((value) => serializeParameter(facts, value))).toEqual(
        nothing.map(() => undefined),
      )
    },
  )

  it('members that are null or undefined', () => {
    expect(serializeParameter(createParameter('form', true), ['a', null, 'b', undefined])).toBe(
      'color=a&color=b',
    )
    expect(
      serializeParameter(createParameter('form', false), { a: 1, b: null, c: undefined }),
    ).toBe('color=a,1')
    expect(
      serializeParameter(createParameter('deepObject', true), { a: { b: null }, c: [null, 1] }),
    ).toBe('color%5Bc%5D=1')
    expect(serializeParameter(createParameter('deepObject', true), { a: { b: null } })).toBe(
      undefined,
    )
  })

  it('not false, 0 and empty strings', () => {
    expect(serializeParameter(createParameter('form', true), false)).toBe('color=false')
    expect(serializeParameter(createParameter('form', true), 0)).toBe('color=0')
    expect(serializeParameter(createParameter('form', true), [''])).toBe('color=')
    expect(serializeParameter(createParameter('simple', false), ['', ''])).toBe(',')
    expect(serializeParameter(createParameter('matrix', true), ['a', ''])).toBe(';color=a;color')
    expect(serializeParameter(createParameter('matrix', false), [''])).toBe(';color')
    expect(serializeParameter(createParameter('matrix', true), { R: '', G: 1 })).toBe(';R;G=1')
  })
})

describe('characters', () => {
  const reserved = ":/?#[]@!$&'()*+,;=%"
  const escaped = '%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25'

  it('reserved ones are escaped in paths, queries and cookies, and unchanged in headers', () => {
    expect(serializeParameter(createParameter('simple', false), reserved)).toBe(escaped)
    expect(serializeParameter(createParameter('form', true), reserved)).toBe(`color=${escaped}`)
    expect(serializeParameter(createParameter('form', true, { in: 'cookie' }), reserved)).toBe(
      `color=${escaped}`,
    )
    expect(serializeParameter(createParameter('simple', false, { in: 'header' }), reserved)).toBe(
      reserved,
    )
  })

  it('the delimiter of a style is escaped inside an item', () => {
    expect(serializeParameter(createParameter('form', false), ['a,b', 'c'])).toBe('color=a%2Cb,c')
    expect(serializeParameter(createParameter('pipeDelimited', false), ['a|b', 'c'])).toBe(
      'color=a%7Cb%7Cc',
    )
  })

  it('with allowReserved they are kept in values, except those that would end the value; escapes are kept', () => {
    const facts = createParameter('form', true, { allowReserved: true })
    expect(serializeParameter(facts, "https://a.example/b?c=d;e,f@g!h$i'(j)*")).toBe(
      "color=https://a.example/b?c=d;e,f@g!h$i'(j)*",
    )
    expect(serializeParameter(facts, 'a#b[c]&d+e f"g')).toBe('color=a%23b%5Bc%5D%26d%2Be%20f%22g')
    expect(serializeParameter(facts, '%2F 100% %zz')).toBe('color=%2F%20100%25%20%25zz')
  })

  it('with allowReserved names and keys are still escaped', () => {
    expect(
      serializeParameter(createParameter('form', true, { allowReserved: true, name: 'a=b' }), '/'),
    ).toBe('a%3Db=/')
    expect(
      serializeParameter(createParameter('form', true, { allowReserved: true }), { 'a=b': '/' }),
    ).toBe('a%3Db=/')
  })

  it('others are UTF-8; a lone surrogate becomes U+FFFD', () => {
    expect(serializeParameter(createParameter('form', true), 'é😀')).toBe(
      'color=%C3%A9%F0%9F%98%80',
    )
    expect(serializeParameter(createParameter('form', true), 'a\ud83db')).toBe('color=a%EF%BF%BDb')
    expect(
      serializeParameter(createParameter('form', true, { allowReserved: true }), '\udc00'),
    ).toBe('color=%EF%BF%BD')
  })

  it('a name is escaped like a value', () => {
    expect(serializeParameter(createParameter('form', true, { name: 'ids[]' }), [1, 2])).toBe(
      'ids%5B%5D=1&ids%5B%5D=2',
    )
  })
})

describe('values', () => {
  it('a date is an RFC 3339 timestamp', () => {
    expect(serializeParameter(createParameter('form', true), new Date(0))).toBe(
      'color=1970-01-01T00%3A00%3A00.000Z',
    )
    expect(
      serializeParameter(createParameter('simple', false, { in: 'header' }), [new Date(0)]),
    ).toBe('1970-01-01T00:00:00.000Z')
  })

  it('deepObject nests as deep as the value does', () => {
    const value = { a: { b: { c: 1 } }, d: [1, { e: 2 }] }
    expect(serializeParameter(createParameter('deepObject', true), value)).toBe(
      'color%5Ba%5D%5Bb%5D%5Bc%5D=1&color%5Bd%5D=1&color%5Bd%5D=%7B%22e%22%3A2%7D',
    )
  })

  it('a nested array or object that a style cannot express is JSON', () => {
    expect(serializeParameter(createParameter('form', true), [{ a: 1 }, [2]])).toBe(
      'color=%7B%22a%22%3A1%7D&color=%5B2%5D',
    )
  })

  it('a parameter of a media type other than JSON is text', () => {
    const text = createParameter('form', true, { mediaType: 'text/plain' })
    expect(serializeParameter(text, 'a b')).toBe('color=a%20b')
    expect(serializeParameter(text, 5)).toBe('color=5')
    expect(serializeParameter(text, { a: 1 })).toBe('color=%7B%22a%22%3A1%7D')
  })

  it('a JSON parameter is JSON, even for a string', () => {
    expect(
      serializeParameter(createParameter('form', true, { mediaType: 'application/json' }), {
        a: [1],
      }),
    ).toBe('color=%7B%22a%22%3A%5B1%5D%7D')
    expect(
      serializeParameter(createParameter('form', true, { mediaType: 'application/json' }), 'x'),
    ).toBe('color=%22x%22')
    expect(
      serializeParameter(
        createParameter('simple', true, { mediaType: 'application/json', in: 'header' }),
        { a: 1 },
      ),
    ).toBe('{"a":1}')
  })

  it('JSON in a header is ASCII', () => {
    const header = createParameter('simple', true, { mediaType: 'application/json', in: 'header' })
    const value = { ü: 'é€😀' }
    const text = serializeParameter(header, value) ?? ''
    expect(text).toBe('{"\\u00fc":"\\u00e9\\u20ac\\ud83d\\ude00"}')
    expect(JSON.parse(text)).toEqual(value)
  })

  it('an array in an exploded object is a pair for each item', () => {
    const write = (value: object) => serializeParameter(createParameter('form', true), value)
    expect(write({ page: 2, sort: ['a', null, 'b,c'], none: [] })).toBe('page=2&sort=a&sort=b%2Cc')
    expect(write({ none: [] })).toBeUndefined()
  })

  it('an exploded cookie is several cookies', () => {
    expect(serializeParameter(createParameter('form', true, { in: 'cookie' }), ['a', 'b'])).toBe(
      'color=a; color=b',
    )
    expect(
      serializeParameter(createParameter('form', true, { in: 'cookie' }), { a: 1, b: 2 }),
    ).toBe('a=1; b=2')
  })
})

describe('for any value', () => {
  const anyText = fc.string({ unit: character })

  it('an exploded form query is readable by URLSearchParams', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { minLength: 1 }), (name, values) => {
        const query = serializeParameter(createParameter('form', true, { name }), values) ?? ''
        expect([...new URLSearchParams(query)]).toEqual(values.map((value) => [name, value]))
      }),
    )
  })

  it('so are an object, and an array joined with commas', () => {
    fc.assert(
      fc.property(
        fc.dictionary(anyText, anyText, { minKeys: 1 }),
        fc.array(anyText, { minLength: 1 }),
        (fields, values) => {
          const query = serializeParameter(createParameter('form', true), fields) ?? ''
          expect([...new URLSearchParams(query)]).toEqual(Object.entries(fields))
          const joined =
            serializeParameter(createParameter('form', false), values)?.slice('color='.length) ?? ''
          expect(joined.split(',').map(decodeURIComponent)).toEqual(values)
        },
      ),
    )
  })

  it('a query with allowReserved remains a single pair', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const query =
          serializeParameter(createParameter('form', true, { allowReserved: true }), value) ?? ''
        const url = new URL(`https://a.example/?${query}`)
        expect([...url.searchParams.keys()]).toEqual(['color'])
        expect(url.hash).toBe('')
      }),
    )
  })

  it('nothing is thrown, whatever the style', () => {
    const styles = fc.constantFrom(
      'matrix',
      'label',
      'simple',
      'form',
      'spaceDelimited',
      'pipeDelimited',
      'deepObject',
    )
    fc.assert(
      fc.property(styles, fc.boolean(), fc.jsonValue(), (style, explode, value) => {
        expect(typeof serializeParameter(createParameter(style, explode), value)).toMatch(
          /^(string|undefined)$/,
        )
      }),
    )
  })
})
