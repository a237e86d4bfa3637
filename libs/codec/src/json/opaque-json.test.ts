import { copy, type JsonObject, withText } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { embeddedJson, opaqueJson } from './opaque-json.js';
import { parseJson } from './parse-json.js';

const read = (text: string) => withText(parseJson(text).value, text);

describe('opaqueJson', () => {
  it.each(['{"2":1,"1":2,"a": 1.0 }', '[ 1, "\\u0026&", 12345678901234567890 ]', '{"a":1,"a":2}'])(
    'is the text that came: %s',
    (text) => {
      expect(opaqueJson(read(text))).toBe(text);
      expect(opaqueJson(copy(read(text)))).toBe(text);
    },
  );

  it('is written as the reference would where the value was changed or came in no text', () => {
    const changed = read('{ "b":1,"a":{} }') as JsonObject;
    changed.c = '<&>\u2028';
    expect(opaqueJson(changed)).toBe('{"a":{},"b":1,"c":"\\u003c\\u0026\\u003e\\u2028"}');
    expect(opaqueJson({ b: 'x', a: [null, true, 9007199254740993n] })).toBe(
      '{"a":[null,true,9007199254740993],"b":"x"}',
    );
    expect(opaqueJson('\b\f\\b&')).toBe('"\\u0008\\u000c\\\\b\\u0026"');
  });
});

describe('embeddedJson', () => {
  it.each([
    [' { "a" : [ 1 , 2 ],\n\t"b c" : "d  e" }\r\n', '{"a":[1,2],"b c":"d  e"}'],
    ['{"a":"<&>\u2028\u2029","b":"\\u0041\\/"}', '{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029","b":"\\u0041\\/"}'],
    ['{"\\" ":" \\\\" , "x":1.0}', '{"\\" ":" \\\\","x":1.0}'],
    ['1', '1'],
  ])('%j', (text, embedded) => expect(embeddedJson(text)).toBe(embedded));
});
