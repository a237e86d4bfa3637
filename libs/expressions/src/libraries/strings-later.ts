import { overload } from '../types/declarations.js';
import { BOOL, DYN, listOf, STRING } from '../types/type.js';
import type { List } from '../values/value.js';
import { formatted } from './formatting.js';
import { globalForm, type Library, methodForm } from './library.js';

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ESCAPED = /[\x07\b\f\n\r\t\v\\"]/g;

/** A text as a literal of the language. */
const quoted = (text: string): string => {
  const escaped = Buffer.from(text)
    .toString()
    .replace(ESCAPED, (char) => ESCAPES.get(char) as string);
  return `"${escaped}"`;
};

/** Functions on strings from version 2 of cel-go's `ext`, of release 1.29, and related additions to the language. */
export const LATER_STRINGS_LIBRARY: Library = [
  {
    name: 'format',
    forms: [
      methodForm('string_format', [STRING, listOf(DYN)], STRING, (text, list) =>
        formatted(text as string, list as List),
      ),
    ],
  },
  // Function form beside the method, since cel-go 0.17; equivalent.
  { name: 'matches', forms: [overload('matches', [STRING, STRING], BOOL)] },
  { name: 'strings.quote', forms: [globalForm('strings_quote', [STRING], STRING, (text) => quoted(text as string))] },
];
