import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { duplicatePaths } from '../json/parse-json.js';
import { parseYaml, YamlSyntaxError } from './parse-yaml.js';
import { stringifyYaml } from './yaml-object.js';

const value = (text: string) => parseYaml(text).value;

describe('parseYaml', () => {
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
    ['a: {<<: {b: 1}}', { a: { '<<': { b: 1 } } }],
    ['{"a": [1, "b"]}', { a: [1, 'b'] }],
    ['__proto__: {x: 1}\na: 1', { a: 1 }],
    ['', null],
  ])('%j', (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it('reads JSON of any size, and flow mappings that are none', () => {
    const large = JSON.stringify({ a: 'x'.repeat(1_000_000) });
    expect(value(large)).toEqual(JSON.parse(large));
    expect(value('{a: 1, b: yes}')).toEqual({ a: 1, b: true });
    expect(duplicatePaths(parseYaml('{"a":1,"a":2}'))).toEqual(['a']);
    expect(() => value(`a: ${'x'.repeat(600_000)}`)).toThrow('document is longer than 524288 bytes');
  });

  it('notes repeated keys', () => {
    const parsed = parseYaml('spec:\n  a: 1\n  b: {x: 1, x: 2}\n  a: 2\n');
    expect(parsed.value).toEqual({ spec: { a: 2, b: { x: 2 } } });
    expect(duplicatePaths(parsed)).toEqual(['spec.a', 'spec.b.x']);
  });

  it.each([
    ['a: [1', /^yaml: line 1: /],
    ['a: 1\n---\nb: 2', /multiple documents/],
    ['a: *x', /alias|anchor/i],
    ['a: &x [*x]', /max depth|alias/],
    ['a: .inf', /unsupported value/],
    ['? [a]\n: 1', /map key/],
    ['a: !foo 1', /tag/],
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
    expect(() => parseYaml('a: 1', { maxBytes: 3 })).toThrow(YamlSyntaxError);
  });
});

describe('stringifyYaml', () => {
  it('sorts keys and quotes what would be read as something else', () => {
    const text = stringifyYaml({ b: ['yes', '0644', '22:22', '1e3', 'null', ''], a: 9007199254740993n });
    expect(text).toBe('a: 9007199254740993\nb:\n  - "yes"\n  - "0644"\n  - "22:22"\n  - "1e3"\n  - "null"\n  - ""\n');
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
    const leaf = fc.oneof(special, fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.maxSafeInteger());
    const key = fc.oneof(special, fc.string()).filter((text) => text !== '__proto__');
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
