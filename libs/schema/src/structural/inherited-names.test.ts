import { describe, expect, it } from 'vitest';
import { isKnownFormat } from './formats.js';
import { atOnce, compileSchema, type SchemaProps, validateObject } from './index.js';
import { isSame, type Json } from './json.js';

/** As JSON makes them: members of any name are an object's own. */
const json = (text: string): Json => JSON.parse(text) as Json;

describe.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])('%s, which every object inherits', (name) => {
  it('is no format', () => {
    expect(isKnownFormat(name)).toBe(false);
  });

  it('is a member of those alone that were sent with it', () => {
    const own = json(`{${JSON.stringify(name)}:{}}`);
    expect(isSame(own, json('{"other":{}}'))).toBe(false);
    expect(isSame(json('{"other":{}}'), own)).toBe(false);
    expect(isSame(own, json(`{${JSON.stringify(name)}:{}}`))).toBe(true);
  });

  it('is a key of those elements alone that were sent with it', () => {
    const items = json(
      `{"type":"object","properties":{${JSON.stringify(name)}:{"type":"string"},"b":{"type":"string"}}}`,
    );
    const list: SchemaProps = {
      ...{ type: 'array', items, 'x-kubernetes-list-type': 'map' },
      'x-kubernetes-list-map-keys': [name, 'b'],
    };
    const schema = compileSchema({ type: 'object', properties: { list } });
    const errorsOf = (...elements: string[]) =>
      atOnce(validateObject(json(`{"list":[${elements.join()}]}`), schema)).map(({ message }) => message);
    const [keyed, bare] = [`{${JSON.stringify(name)}:"x","b":"1"}`, '{"b":"1"}'];
    expect(errorsOf(keyed, bare)).toEqual([]);
    expect(errorsOf(bare, bare)).toEqual(['Duplicate value: map[string]interface {}{"b":"1"}']);
    expect(errorsOf(keyed, keyed)).toEqual([expect.stringContaining(`${JSON.stringify(name)}:"x"`)]);
  });
});
