import {
  CONFIG_MAP,
  CORE,
  filled,
  type HeavyRequest,
  MAX_BODY_BYTES,
  MAX_VALUES,
  post,
  ROOM_VALUES,
} from './heavy-request.js';

const MAPS = `${CORE}/configmaps`;

/** `head` and `tail` around nested brackets. */
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const long = (head: string, unit: string, tail: string) =>
  Buffer.from(head + unit.repeat(Math.floor((MAX_BODY_BYTES - head.length - tail.length) / unit.length)) + tail);

/** Keys that V8 would give one and the same place in a table of strings, if it did not seed its hash. */
const hashedAlike = (index: number) => `${'a'.repeat(24)}${index.toString(36).padStart(5, '0')}`;

/** JSON that is costly to read, whatever it is said to be. */
const DOCUMENTS: readonly (readonly [string, () => Buffer])[] = [
  ['more numbers than are allowed', () => filled(`{${CONFIG_MAP},"x":[`, () => '0', ']}', { values: 0 })],
  ['more objects than are allowed', () => filled(`{${CONFIG_MAP},"x":[`, () => '{"a":{}}', ']}', { values: 0 })],
  ['numbers', () => filled(`{${CONFIG_MAP},"x":[`, () => '0', ']}')],
  ['empty objects', () => filled(`{${CONFIG_MAP},"x":[`, () => '{}', ']}')],
  ['one-member objects', () => filled(`{${CONFIG_MAP},"x":[`, () => '{"a":0}', ']}')],
  ['objects of distinct shapes', () => filled(`{${CONFIG_MAP},"x":[`, (i) => `{"${i.toString(36)}":0}`, ']}')],
  ['exact integers', () => filled(`{${CONFIG_MAP},"x":[`, () => '9007199254740993', ']}')],
  ['one long integer', () => long(`{${CONFIG_MAP},"x":`, '7', '}')],
  ['many long integers', () => filled(`{${CONFIG_MAP},"x":[`, () => '7'.repeat(300), ']}')],
  ['a long fraction', () => long(`{${CONFIG_MAP},"x":0.`, '7', '}')],
  ['big exponents', () => filled(`{${CONFIG_MAP},"x":[`, () => '1e308', ']}')],
  ['beyond all exponents', () => filled(`{${CONFIG_MAP},"x":[`, () => '1e-999999', ']}')],
  ['nested lists', () => filled(`{${CONFIG_MAP},"x":[`, () => nested('[', ']', 900), ']}')],
  [
    'nested objects',
    () => filled(`{${CONFIG_MAP},"x":[`, () => `${nested('{"a":', '}', 900).replace('}', '0}')}`, ']}'),
  ],
  ['too deep', () => long('', '[', '')],
  ['blanks', () => long(`{${CONFIG_MAP}`, ' ', '}')],
  ['a long string', () => long(`{${CONFIG_MAP},"x":"`, 'a', '"}')],
  ['a long string of escapes', () => long(`{${CONFIG_MAP},"x":"`, '\\n', '"}')],
  ['a long string of unicode escapes', () => long(`{${CONFIG_MAP},"x":"`, '\\u0041', '"}')],
  ['lone surrogates', () => long(`{${CONFIG_MAP},"x":"`, '\\ud800', '"}')],
  ['backslashes', () => long(`{${CONFIG_MAP},"x":"`, '\\\\', '"}')],
  ['quotes', () => long(`{${CONFIG_MAP},"x":"`, '\\"', '"}')],
  ['escaped strings', () => filled(`{${CONFIG_MAP},"x":[`, () => '"\\u00e9"', ']}')],
  ['one name again and again', () => filled(`{${CONFIG_MAP},"x":{`, () => '"a":0', '}}')],
  ['the same two names', () => filled(`{${CONFIG_MAP},"x":[`, () => '{"a":0,"a":1}', ']}')],
  ['unknown fields', () => filled(`{${CONFIG_MAP},`, (i) => `"${i.toString(36)}":0`, '}')],
  ['unknown fields of long names', () => filled(`{${CONFIG_MAP},`, (i) => `"${'x'.repeat(20_000)}${i}":0`, '}')],
  ['integers as names', () => filled(`{${CONFIG_MAP},"x":{`, (i) => `"${i}":0`, '}}')],
  ['sparse integers as names', () => filled(`{${CONFIG_MAP},"x":{`, (i) => `"${(i * 7919) % 4294967291}":0`, '}}')],
  ['descending integers as names', () => filled(`{${CONFIG_MAP},"x":{`, (i) => `"${400_000 - i}":0`, '}}')],
  ['names of one beginning', () => filled(`{${CONFIG_MAP},"x":{`, (i) => `"${hashedAlike(i)}":0`, '}}')],
  ['prototypes', () => filled(`{${CONFIG_MAP},"x":[`, () => '{"__proto__":0}', ']}')],
  ['cut in the middle', () => filled(`{${CONFIG_MAP},"x":[`, () => '{"a":[', '')],
  ['broken at the end', () => filled(`{${CONFIG_MAP},"x":[`, () => '{"a":[]}', ']}}')],
  ['quotes that are never closed', () => filled('{', (i) => `"${i}":0`, ',"x')],
];

/** Contents of ConfigMaps in great numbers. */
const CONTENTS: readonly (readonly [string, () => Buffer])[] = [
  ['data of many keys', () => filled(`{${CONFIG_MAP},"data":{`, (i) => `"${i.toString(36)}x":""`, '}}')],
  ['data of integer keys', () => filled(`{${CONFIG_MAP},"data":{`, (i) => `"${i}":""`, '}}')],
  ['data of wrong keys', () => filled(`{${CONFIG_MAP},"data":{`, (i) => `"${i}!":""`, '}}')],
  ['data of wrong types', () => filled(`{${CONFIG_MAP},"data":{`, (i) => `"${i}":0`, '}}')],
  ['data of nulls', () => filled(`{${CONFIG_MAP},"data":{`, (i) => `"${i}x":null`, '}}')],
  ['data of one key again and again', () => filled(`{${CONFIG_MAP},"data":{`, () => '"a":""', '}}')],
  ['data with prototypes', () => filled(`{${CONFIG_MAP},"data":{"__proto__":"",`, (i) => `"${i}x":""`, '}}')],
  ['a long value', () => long(`{${CONFIG_MAP},"data":{"a":"`, 'a', '"}}')],
  [
    'a long value of escapes',
    () =>
      // With what the server adds it is no larger than a body.
      filled(`{${CONFIG_MAP},"data":{"a":"`, () => '\\u0001', '"}}', {
        separator: '',
        values: 0,
        bytes: MAX_BODY_BYTES - 1_000,
      }),
  ],
  ['a long key', () => long(`{${CONFIG_MAP},"data":{"`, 'a', '":""}}')],
  ['a long wrong key', () => long(`{${CONFIG_MAP},"data":{"`, 'a', '!":""}}')],
  ['keys in both maps', () => bothMaps()],
  ['binary data', () => long(`{${CONFIG_MAP},"binaryData":{"a":"`, 'AAAA', '"}}')],
  ['binary data that is none', () => long(`{${CONFIG_MAP},"binaryData":{"a":"`, 'AAAA', '!"}}')],
  [
    'binary data of many keys',
    () => filled(`{${CONFIG_MAP},"binaryData":{`, (i) => `"${i.toString(36)}x":"AA=="`, '}}'),
  ],
];

function bothMaps(): Buffer {
  const half = filled('{', (i) => `"${i.toString(36)}x":""`, '}', { count: MAX_VALUES / 2 - ROOM_VALUES }).toString();
  return Buffer.from(`{${CONFIG_MAP},"data":${half},"binaryData":${half}}`);
}

export const jsonBodies: readonly HeavyRequest[] = [
  ...DOCUMENTS.map(([name, body]) => post(`json: ${name}`, MAPS, body)),
  ...DOCUMENTS.filter(([name]) => /unknown|same|again/.test(name)).map(([name, body]) =>
    post(`json, strict: ${name}`, MAPS, body, 'application/json', '&fieldValidation=Strict'),
  ),
  ...CONTENTS.map(([name, body]) => post(`config map: ${name}`, MAPS, body)),
];
