import { describe, expect, it } from 'vitest';
import { parseDocument, splitDocuments } from './documents.js';

const places = (text: string) => splitDocuments(text).map(({ begin }) => begin);
const values = (text: string) =>
  splitDocuments(text).map((document) => {
    const parsed = parseDocument(document);
    return 'error' in parsed ? `${parsed.line}: ${parsed.error}` : parsed.value;
  });

describe('documents of a text', () => {
  it.each<[string, readonly number[], readonly unknown[]]>([
    ['a: 1\n', [1], [{ a: 1 }]],
    ['\ufeff---\na: 1\n---\n# nothing\n---\nb: 2\n...\n', [2, 6], [{ a: 1 }, { b: 2 }]],
    ['%YAML 1.2\n---\n# said\na: 1', [4], [{ a: 1 }]],
    ['a: |\n  ---\n  x\n---  # more\nb: 2', [1, 5], [{ a: '---\nx\n' }, { b: 2 }]],
    ['--- {a: 1}\n--- {b: 2}\n', [1, 2], [{ a: 1 }, { b: 2 }]],
    ['a: 1\r\n---\r\nb: 2\r\n', [1, 3], [{ a: 1 }, { b: 2 }]],
    ['', [], []],
    ['---\n---\n', [], []],
    ['{"a": "}{"}\n\n{"b": 2} {"c": "\\"{"}', [1, 3, 3], [{ a: '}{' }, { b: 2 }, { c: '"{' }]],
    ['{"a": 12345678901234567890}', [1], [{ a: 12345678901234567890n }]],
    // As JSON has neither such texts nor comments, it is YAML, of which there is one object in a document.
    ["{a: '}{'}\n", [1], [{ a: '}{' }]],
    ['{a: 1 # }{\n}\n', [1], [{ a: 1 }]],
  ])('%j', (text, begins, expected) => {
    expect(places(text)).toEqual(begins);
    expect(values(text)).toEqual(expected);
  });

  it.each([
    ['a: 1\n---\nb: [1\n', /^4: /],
    ['a: 1\n---\n\nb: c: d\n', /^4: Nested mappings/],
    ['a: 1\n---\n{"b": 1\n', /^4: /],
    ['a: 1\n---\n? [x]\n: 1\n', /^2: unsupported map key/],
    ['a: *b\n', /^1: unknown anchor/],
  ])('tells where %j is wrong', (text, error) => {
    expect(values(text).at(-1)).toMatch(error);
  });

  it('tells of keys that stand more than once, in the line of the whole', () => {
    const [, second] = splitDocuments('a: 1\n---\nb: 1\nb: 2\n');
    const parsed = second && parseDocument(second);
    expect(parsed).toEqual({ value: { b: 2 }, repeated: [{ line: 4, text: 'key "b" already set in map' }] });
  });

  it('knows where an object ends behind the longest texts', () => {
    const object = `{"a": "${'x'.repeat(20 << 20)}\\"}{"}`;
    expect(splitDocuments(object + object).map(({ text }) => text.length)).toEqual([object.length, object.length]);
  });

  it('reads many documents in time that grows with the text', () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\n---\n'.repeat(20_000);
    const began = performance.now();
    expect(splitDocuments(text)).toHaveLength(20_000);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
