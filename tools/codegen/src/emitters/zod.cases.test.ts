import { describe, expect, it } from 'vitest'
import { build, withSchemas } from '../../test/documents.js'
import { runZod } from '../../test/run-zod.js'
import type { Json } from '../ir/schema.js'
import { formatModes } from '../emit/emitter.js'
import { zodFlavours, type ZodFlavour } from './zod.js'

/** JSON text, as only that can say `__proto__` and tell what a document tells. */
type Case = readonly [
  rule: string,
  schema: string,
  valid: readonly string[],
  invalid: readonly string[],
]

const cases: readonly Case[] = [
  [
    'an integer may be written with a fraction of zero',
    '{"type":"integer"}',
    ['1.0', '9007199254740993', '1e300'],
    ['1.5', '"1"', 'true'],
  ],
  [
    '0, false, null and empty text differ',
    '{"enum":[0,null]}',
    ['0', '-0.0', 'null'],
    ['false', '""', '[]', '"0"'],
  ],
  [
    'names of inherited properties can be listed',
    '{"enum":["__proto__","constructor"]}',
    ['"__proto__"', '"constructor"'],
    ['"toString"'],
  ],
  [
    'a constant is compared deeply, in any order of names',
    '{"const":{"a":[1,{"b":1.0}],"c":0}}',
    ['{"c":0,"a":[1,{"b":1}]}'],
    ['{"c":false,"a":[1,{"b":1}]}', '{"a":[1,{"b":1}]}', '{"c":0,"a":[1,{"b":1}],"d":1}'],
  ],
  [
    'elements differ by value',
    '{"uniqueItems":true}',
    ['[1,true]', '[0,false]', '["1",1]', '[[1],[true]]', '"aa"'],
    ['[1,1.0]', '[{"a":1,"b":2},{"b":2,"a":1}]'],
  ],
  [
    'multiples are decimal',
    '{"multipleOf":0.01}',
    ['4.02', '0.07', '19.99', '1e300', '0', '"a"'],
    ['19.999'],
  ],
  ['small steps', '{"multipleOf":1e-8}', ['12391239123', '1e-8'], ['1.5e-8']],
  [
    'the largest numbers have multiples',
    '{"type":"integer","multipleOf":0.123456789}',
    [],
    ['1e308'],
  ],
  [
    'length is in code points',
    '{"minLength":2,"maxLength":2}',
    ['"😀😀"', '"ab"', '"\\ud800\\ud800"', '1'],
    ['"😀"', '"abc"'],
  ],
  ['patterns are Unicode', '{"pattern":"^\\\\p{Letter}$"}', ['"é"', '"𝒜"', '1'], ['"1"', '"éé"']],
  ['patterns match anywhere', '{"pattern":"a/b"}', ['"xa/by"'], ['"ab"']],
  [
    'a required property of any value must be there',
    '{"type":"object","required":["a"],"properties":{"a":{}}}',
    ['{"a":null}'],
    ['{}'],
  ],
  [
    'so must one that is not something',
    '{"type":"object","required":["a"],"properties":{"a":{"not":{"type":"string"}}}}',
    ['{"a":1}'],
    ['{}'],
  ],
  [
    'so must one with a condition',
    '{"type":"object","required":["a"],"properties":{"a":{"if":{"type":"string"},"then":{"minLength":2}}}}',
    ['{"a":1}'],
    ['{}', '{"a":"s"}'],
  ],
  [
    'inherited names are no properties',
    '{"required":["toString"]}',
    ['{"toString":1}', '1'],
    ['{}'],
  ],
  ['nor is the prototype', '{"required":["__proto__"]}', ['{"__proto__":1}'], ['{}']],
  [
    'a property can be called __proto__',
    '{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}',
    ['{}', '{"__proto__":"a"}'],
    ['{"__proto__":1}', '{"a":1}'],
  ],
  [
    'a dependency on an inherited name',
    '{"dependentRequired":{"toString":["a"]}}',
    ['{}', '{"toString":1,"a":1}'],
    ['{"toString":1}'],
  ],
  [
    'properties and patterns both check',
    '{"patternProperties":{"^x":{"type":"string"}},"properties":{"xa":{"minLength":2}},"additionalProperties":false}',
    ['{"xa":"aa","xb":"b"}'],
    ['{"xa":"a"}', '{"xa":1}', '{"y":1}'],
  ],
  [
    'closed parts each check the whole',
    '{"allOf":[{"properties":{"a":true},"additionalProperties":false},{"properties":{"b":true},"additionalProperties":false}]}',
    ['{}'],
    ['{"a":1}', '{"b":1}', '{"a":1,"b":1}'],
  ],
  [
    'exactly one',
    '{"oneOf":[{"type":"integer"},{"minimum":2}]}',
    ['1', '2.5', '"a"'],
    ['3', '1.5'],
  ],
  ['no element is needed', '{"contains":{"const":1},"minContains":0}', ['[]', '[1]', '"x"'], []],
  [
    'at most one element',
    '{"contains":{"const":1},"maxContains":1}',
    ['[1]', '[1,2]'],
    ['[]', '[1,1]'],
  ],
  [
    'a tuple may be short',
    '{"prefixItems":[{"type":"string"}],"items":false}',
    ['[]', '["a"]'],
    ['[1]', '["a",1]'],
  ],
  ['names have a length', '{"propertyNames":{"maxLength":1}}', ['{"😀":1}', '1'], ['{"ab":1}']],
  [
    'an unknown format is an annotation',
    '{"type":"string","format":"shoe-size"}',
    ['"a"', '""'],
    ['1'],
  ],
  [
    'a number of 32 bits',
    '{"type":"integer","format":"int32"}',
    ['2147483647', '-2147483648', '1.0'],
    ['2147483648', '-2147483649', '0.5'],
  ],
  ['is whole, whatever its type', '{"type":"number","format":"int32"}', ['1.0'], ['0.5']],
  [
    'a number of 64 bits, as near as it can be read',
    '{"type":"integer","format":"int64"}',
    ['9223372036854775807', '-9223372036854775808'],
    ['1e19', '-1e19', '0.5'],
  ],
  [
    'other formats of numbers are annotations',
    '{"type":"number","format":"float"}',
    ['1e300', '0.1'],
    ['"a"'],
  ],
  [
    'bytes in base64',
    '{"type":"string","format":"byte"}',
    ['""', '"aA=="', '"+/8="'],
    ['"aA"', '"-_8="', '"===="', '1'],
  ],
  [
    'a format has nothing to say of other types',
    '{"format":"date"}',
    ['1', '"2030-01-31"'],
    ['"a"'],
  ],
  [
    'what `if` evaluated counts without `then` (JSON Schema 2020-12, section 10.2.2.1)',
    '{"if":{"items":{"type":"string"}},"unevaluatedItems":false}',
    ['["a"]', '[]'],
    ['[1]'],
  ],
  [
    'elements that `contains` takes are evaluated, others are not',
    '{"contains":{"type":"string"},"unevaluatedItems":false}',
    ['["a"]'],
    ['["a",1]', '[]'],
  ],
  [
    'elements after the prefix that `contains` takes are evaluated',
    '{"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false}',
    ['[1,"a"]', '["a","b"]'],
    ['[1,2]', '[1,2,"a"]', '[1]'],
  ],
  [
    'each `contains` of several parts evaluates its own elements',
    '{"allOf":[{"contains":{"multipleOf":2}},{"contains":{"multipleOf":3}}],"unevaluatedItems":{"multipleOf":5}}',
    ['[2,3,4,5,6]'],
    ['[2,3,4,7]', '[2,4]'],
  ],
  [
    'what a chain of `if` found counts as far as the chain went',
    '{"if":{"contains":{"const":"a"}},"then":{"if":{"contains":{"const":"b"}},"then":{"if":{"contains":{"const":"c"}}}},"unevaluatedItems":false}',
    ['[]', '["a","a"]', '["a","b"]', '["c","a","b"]'],
    ['["b"]', '["c","b"]', '["c","a"]'],
  ],
  [
    'with none needed, elements still count as evaluated where `contains` takes them',
    '{"contains":{"type":"string"},"minContains":0,"unevaluatedItems":false}',
    ['[]', '["a","b"]'],
    ['[0]', '["a",0]'],
  ],
  [
    'what `if` evaluated counts without `then`, for properties too',
    '{"if":{"patternProperties":{"^a":{"type":"string"}}},"unevaluatedProperties":false}',
    ['{"ab":"x"}', '{}'],
    ['{"ab":1}', '{"b":"x"}'],
  ],
  [
    'a branch that failed evaluated nothing',
    '{"oneOf":[{"prefixItems":[true,{"const":1}]},{"prefixItems":[true,true,{"const":2}]}],"unevaluatedItems":false}',
    ['[0,0,2]'],
    ['[0,1,9]', '[0,1]', '[0,1,2]'],
  ],
  [
    'what is excluded evaluates nothing',
    '{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}',
    ['{}'],
    ['{"a":1}'],
  ],
  [
    'a part does not see what its siblings evaluated',
    '{"allOf":[{"prefixItems":[true]},{"unevaluatedItems":false}]}',
    ['[]'],
    ['[1]'],
  ],
  [
    'one part that takes everything leaves nothing',
    '{"allOf":[{"properties":{"a":true},"unevaluatedProperties":true}],"unevaluatedProperties":false}',
    ['{"a":1,"b":1}'],
    [],
  ],
  [
    'a dependency that applies evaluates',
    '{"properties":{"a":true},"dependentSchemas":{"a":{"properties":{"b":true}}},"unevaluatedProperties":false}',
    ['{"a":1,"b":1}', '{}'],
    ['{"b":1}'],
  ],
  [
    'a choice within a choice evaluates by what matched',
    '{"oneOf":[{"oneOf":[{"required":["a"],"properties":{"a":true}},{"required":["all"],"unevaluatedProperties":true}]},{"required":["b"],"properties":{"b":true}}],"unevaluatedProperties":false}',
    ['{"a":1}', '{"b":1}', '{"all":1,"c":1}'],
    ['{}', '{"a":1,"b":1}', '{"a":1,"all":1}', '{"a":1,"c":1}'],
  ],
  ['null is a value', '{"unevaluatedProperties":{"type":"null"}}', ['{"a":null}'], ['{"a":1}']],
]

async function readVerdict(
  flavour: ZodFlavour,
  schemas: Readonly<Record<string, Json>>,
): Promise<(text: string) => boolean | undefined> {
  const api = await build(withSchemas(schemas), { semantics: 'json-schema' })
  const validator = runZod(api, { flavour }).schemas['Subject']
  return (text) => validator?.safeParse(JSON.parse(text)).success
}

describe.each(zodFlavours)('the validator (%s) of', (flavour) => {
  const findVerdict = async (schemas: Readonly<Record<string, Json>>) =>
    readVerdict(flavour, schemas)

  it.each(cases)('%s: %s', async (_, schema, valid, invalid) => {
    const accepts = await findVerdict({ Subject: JSON.parse(schema) as Json })
    expect(valid.filter((text) => accepts(text) !== true)).toEqual([])
    expect(invalid.filter((text) => accepts(text) !== false)).toEqual([])
  })

  it('a schema that inspects a later one, which refers back', async () => {
    const accepts = await findVerdict({
      Later: { properties: { subject: { $ref: '#/components/schemas/Subject' } } },
      Subject: {
        oneOf: [{ $ref: '#/components/schemas/Later' }],
        unevaluatedProperties: { type: 'string' },
      },
    })
    expect(accepts('{"subject":{"subject":{}},"other":"a"}')).toBe(true)
    expect(accepts('{"subject":{"other":1}}')).toBe(false)
  })

  it('a schema that negates itself', async () => {
    const accepts = await findVerdict({
      Subject: {
        type: 'object',
        properties: { child: { not: { $ref: '#/components/schemas/Subject' } } },
      },
    })
    expect(['{}', '{"child":1}', '{"child":{"child":{}}}', '{"child":{}}'].map(accepts)).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  it('formats that are annotations', async () => {
    const schema = {
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date' },
        count: { type: 'integer', format: 'int32' },
      },
    }
    const [asserting, annotating] = await Promise.all(
      formatModes.map(
        async (formats) =>
          runZod(await build(withSchemas({ Subject: schema })), { flavour, formats }).schemas[
            'Subject'
          ],
      ),
    )
    const verdicts = (value: Json) => [
      asserting?.safeParse(value).success,
      annotating?.safeParse(value).success,
    ]
    expect(verdicts({ day: 'today', count: 3e9 })).toEqual([false, true])
    expect(verdicts({ day: '2030-01-31', count: 3 })).toEqual([true, true])
    expect(verdicts({ day: '2030-01-31', count: 0.5 })).toEqual([false, false])
  })
})
