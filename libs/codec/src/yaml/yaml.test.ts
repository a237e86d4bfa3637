import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { TooManyValuesError } from '../too-many-values.js';
import { parseYaml } from './parse-yaml.js';
import { stringifyYaml } from './stringify-yaml.js';
import { YamlSyntaxError } from './yaml-limits.js';

const value = (text: string) => parseYaml(text).value;

describe('parseYaml', () => {
  it.each(['a: x\u0001y', '{"a": "x\u0000y"}', '# \u007f\na: 1', 'a: "\ud800"', 'a: x\uffffy'])(
    'refuses %j, which is no text',
    (text) => {
      expect(() => value(text)).toThrow('yaml: control characters are not allowed');
    },
  );

  it.each(['\ufeffa: x', 'a: "\t\u0085\u00e9\u{1f600}"', 'a: |\r\n  x'])('takes %j for a text', (text) => {
    expect(() => value(text)).not.toThrow();
  });

  it.each([
    ['a: yes', { a: true }],
    ['a: "yes"', { a: 'yes' }],
    ['a: Off', { a: false }],
    ['a: ~', { a: null }],
    ['a:', { a: null }],
    ['a: 0644', { a: 420 }],
    ['a: 0o17', { a: 15 }],
    ['a: 0x1F', { a: 31 }],
    ['a: -0b11', { a: -3 }],
    ['a: 1_000', { a: 1000 }],
    ['a: 9007199254740993', { a: 9007199254740993n }],
    ['a: 1.50', { a: 1.5 }],
    ['a: 1e3', { a: 1000 }],
    ['a: 22:22', { a: '22:22' }],
    ['a: 2026-01-02', { a: '2026-01-02' }],
    ['a: 1.2.3', { a: '1.2.3' }],
    ['a: !!str 1', { a: '1' }],
    ['a: !!int "1"', { a: 1 }],
    ['80: x\ntrue: z', { 80: 'x', true: 'z' }],
    ['a: |\n  x\n  y\n', { a: 'x\ny\n' }],
    ['a: &x {b: 1}\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
    ['a: {<<: {b: 1}}', { a: { b: 1 } }],
    ['x: &x {b: 1, c: 1}\na: {b: 0, <<: *x, c: 2}', { x: { b: 1, c: 1 }, a: { b: 1, c: 2 } }],
    ['a: {<<: [{b: 1}, {b: 2, c: 2}]}', { a: { b: 1, c: 2 } }],
    ['a: {"<<": {b: 1}}', { a: { '<<': { b: 1 } } }],
    ['a: &x 1\nb: &x 2\nc: *x', { a: 1, b: 2, c: 2 }],
    ['a: &x [&y 1]\nb: &y 2\nc: *x\nd: *y', { a: [1], b: 2, c: [1], d: 2 }],
    ['{"a": [1, "b"]}', { a: [1, 'b'] }],
    ['constructor: 1\ntoString: 2', { constructor: 1, toString: 2 }],
    [`a: ${'7'.repeat(100)}`, { a: Number('7'.repeat(100)) }],
    [`a: ${'7'.repeat(400)}`, { a: '7'.repeat(400) }],
    [`a: 0x${'f'.repeat(100)}`, { a: `0x${'f'.repeat(100)}` }],
    ['a: 18446744073709551615', { a: 18446744073709551615n }],
    ['a: 18446744073709551616', { a: 2 ** 64 }],
    ['a: 1_0.5', { a: 10.5 }],
    ['a: .1_0', { a: 0.1 }],
    ['a: .1_', { a: '.1_' }],
    ['a: 0_', { a: 0 }],
    ['a: 0O7', { a: 7 }],
    ['a: !!binary YWJj', { a: 'abc' }],
    ['a: !!binary |\n  YWJj\n  ZGVm\n', { a: 'abcdef' }],
    ['a: !!binary /w==', { a: '\ufffd' }],
    ['!!binary YQ==: 1', { a: 1 }],
    ['a: !!timestamp 2026-01-02', { a: '2026-01-02' }],
    ['a: !!timestamp "2026-01-02T03:04:05Z"', { a: '2026-01-02T03:04:05Z' }],
    ['a: !foo 1', { a: '1' }],
    ['a: !foo {b: 1}', { a: { b: 1 } }],
    ['a: !!foo yes', { a: 'yes' }],
    ['a: &x !<tag:x.org,2026:z> 2\nb: *x', { a: '2', b: '2' }],
    ['%TAG ! tag:x,2026:\n---\na: !foo 1', { a: '1' }],
    ['a: !!omap [a: 1]', { a: [{ a: 1 }] }],
    ['a: !!set {a}', { a: { a: null } }],
    ['a: !!map x', { a: 'x' }],
    ['a: !!float 1', { a: 1 }],
    ['a: !!str', { a: '' }],
    ['a: {!!merge <<: {b: 1}}', { a: { b: 1 } }],
    ['a: 1\n---', { a: 1 }],
    ['---\na: 1\n---\n# end\n', { a: 1 }],
    ['a: 1\n---\nb: 2', { a: 1 }],
    ['a: 1\n---\n[}', { a: 1 }],
    ['---\n---\na: 1', null],
    ['', null],
  ])('%j', (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it('reads JSON of any size, and flow mappings that are none', () => {
    const large = JSON.stringify({ a: 'x'.repeat(1_000_000) });
    expect(value(large)).toEqual(JSON.parse(large));
    expect(value('{a: 1, b: yes}')).toEqual({ a: 1, b: true });
  });

  it.each([
    ['spec:\n  a: 1\n  b: {x: 1, x: 2}\n  a: 2\n', [3, 'x'], [4, 'a']],
    ['a: 1\na:\n- 2\n', [3, 'a']],
    ['a: 1\na:\n', [2, 'a']],
    ['{"a":1,\n"a":2}', [2, 'a']],
    ['x: &x {b: 1}\na: {b: 0, <<: *x}', [2, 'b']],
    ['constructor: 1', ...[]],
  ])('notes the line of every repeated key: %j', (text, ...repeated) => {
    const texts = repeated.map(([line, name]) => `line ${line}: key ${JSON.stringify(name)} already set in map`);
    expect(parseYaml(text).repeated).toEqual(texts);
  });

  it('notes keys that are no texts as they are written', () => {
    expect(parseYaml('1: a\n1: b\ntrue: a\nyes: b\n').repeated).toEqual([
      'line 2: key 1 already set in map',
      'line 4: key true already set in map',
    ]);
  });

  it('keeps a member named `__proto__` as one of its own', () => {
    const parsed = value('__proto__: {x: 1}\na: 1') as object;
    expect(Object.entries(parsed)).toEqual([
      ['__proto__', { x: 1 }],
      ['a', 1],
    ]);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  it.each([
    ['a: [1', /^yaml: line 1: /],
    ['a: *x', /alias|anchor/i],
    ['a: &x [*x]', "anchor 'x' value contains itself"],
    ['a: {<<: 1}', /map merge requires/],
    [`a: &x ${'y'.repeat(100_000)}\nb: [${Array(20).fill('*x').join()}]`, 'excessive aliasing'],
    ['a: .inf', /unsupported value/],
    ['? [a]\n: 1', /map key/],
    ['a: !!binary "YW Jj"', 'yaml: !!binary value contains invalid base64 data'],
    ['a: !!binary x', 'invalid base64 data'],
    ['a: !!timestamp foo', 'yaml: cannot decode !!str `foo` as a !!timestamp'],
    ['a: !!int foo', 'yaml: cannot decode !!str `foo` as a !!int'],
    ['a: !!int 1.5', 'yaml: cannot decode !!float `1.5` as a !!int'],
    ['a: !!int', 'yaml: cannot decode !!null `` as a !!int'],
    ['a: !!bool 1', 'yaml: cannot decode !!int `1` as a !!bool'],
    ['a: !!float .inf', /unsupported value/],
  ])('refuses %j', (text, message) => {
    expect(() => value(text)).toThrow(YamlSyntaxError);
    expect(() => value(text)).toThrow(message);
  });

  it('bounds what aliases expand to', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(() => value(lines.join('\n'))).toThrow('excessive aliasing');
  });

  it('bounds depth and size', () => {
    expect(() => value('['.repeat(50_000))).toThrow(YamlSyntaxError);
    expect(() => value(`${'['.repeat(200)}${']'.repeat(200)}`)).toThrow('exceeded max depth');
    // Deep enough to end the process, if somebody recursed.
    for (const open of ['[', '{a: ', '- ', '? ', '[{']) {
      expect(() => value(open.repeat(50_000))).toThrow('exceeded max depth');
    }
    expect(() => parseYaml(`[${'0,'.repeat(100)}]`, { maxValues: 100 })).toThrow(TooManyValuesError);
    expect(() => parseYaml('#\n'.repeat(2_000), { maxValues: 100 })).toThrow(TooManyValuesError);
    expect(() => parseYaml(JSON.stringify(Array(200).fill(0)), { maxValues: 100 })).toThrow(TooManyValuesError);
  });
});

describe('stringifyYaml', () => {
  it('sorts keys and quotes what would be read as something else', () => {
    const text = stringifyYaml({ b: ['yes', '0644', '22:22', '1e3', 'null', ''], a: 9007199254740993n });
    expect(text).toBe('a: 9007199254740993\nb:\n  - "yes"\n  - "0644"\n  - "22:22"\n  - "1e3"\n  - "null"\n  - ""\n');
  });

  it.each([
    [
      { a: 'x\ny\n', b: 'x\n  y', c: ' x\ny', d: 'x\n\n' },
      'a: |\n  x\n  y\nb: |-\n  x\n    y\nc: " x\\ny"\nd: "x\\n\\n"\n',
    ],
    [[[1, [2]], [], {}, { a: [] }], '- - 1\n  - - 2\n- []\n- {}\n- a: []\n'],
    [{ ['k'.repeat(200)]: { a: 1 } }, `? ${'k'.repeat(200)}\n:\n  a: 1\n`],
    ['a\nb', '|-\n  a\n  b\n'],
    ['\u2028\u0085', '"\\u2028\\u0085"\n'],
    [[1e21, -5e-324, 1.5e-7], '- 1.0e+21\n- -5.0e-324\n- 1.5e-7\n'],
    ['a \u{1f600}', '"a \\U0001f600"\n'],
    ['\u{10ffff}: \ufffe', '"\\U0010ffff: \\ufffe"\n'],
  ])('writes %j', (object, text) => {
    expect(stringifyYaml(object)).toBe(text);
    expect(value(text)).toEqual(object);
    expect(parse(text)).toEqual(object);
  });

  it('writes what is half a character as readers replace it', () => {
    expect(stringifyYaml('\ud83d')).toBe('"\ufffd"\n');
  });

  it('does not outgrow what is nested deep', () => {
    let deep: unknown[] = [];
    for (let i = 0; i < 80; i++) deep = [deep, { a: 1n << 60n }];
    const text = stringifyYaml(deep);
    expect(text.length).toBeLessThan(20_000);
    expect(parseYaml(text, { maxDepth: 100 }).value).toEqual(
      JSON.parse(
        JSON.stringify(deep, (_k, v) => (typeof v === 'bigint' ? 'big' : v)),
        (_k, v) => (v === 'big' ? 1n << 60n : v),
      ),
    );
  });

  it('is read back as it was, by us and by a YAML 1.2 reader (property)', () => {
    const special = fc.constantFrom(
      'y',
      'no',
      'On',
      '~',
      '1_0',
      '0o7',
      '0x1',
      '.5',
      '-',
      '? a',
      '# x',
      'a: b',
      '\t',
      '<<',
      '=',
      '!x',
      '&x',
      '*x',
      '|',
      '2026-01-02',
    );
    const longText = fc.constantFrom(
      'x\ny',
      'x\n y\n',
      ' x\ny',
      'x\n\ny\n',
      '\tx\ny',
      'x\r\ny',
      'x: y',
      'x #y',
      'x:',
      'ü',
      '\u2028',
      'k'.repeat(1100),
    );
    const leaf = fc.oneof(
      special,
      longText,
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.maxSafeInteger(),
    );
    const key = fc.oneof(special, longText, fc.string({ unit: 'binary' })).filter((text) => text !== '__proto__');
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (object) => {
        const text = stringifyYaml(object);
        expect(value(text)).toEqual(object);
        expect(parse(text)).toEqual(object);
      }),
      { seed: 20260113, numRuns: 300 },
    );
  });
});
