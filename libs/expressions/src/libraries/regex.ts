import { INT, listOf, STRING } from '../types/type.js';
import { ValueList } from '../values/lists.js';
import { Failure, failureOr, type Value } from '../values/value.js';
import { type Library, methodForm } from './library.js';
import { type CompiledPattern, compilePattern, firstMatch, matchesOf } from './regular-expressions.js';

function withPattern(pattern: Value | undefined, use: (compiled: CompiledPattern) => Value): Value {
  const compiled = compilePattern(pattern as string);
  return compiled instanceof Failure ? new Failure(`Illegal regex: ${compiled.message}`) : use(compiled);
}

const find = (text?: Value, pattern?: Value): Value =>
  withPattern(pattern, (compiled) => firstMatch(compiled, text as string));
const findAll = (text?: Value, pattern?: Value, most: Value = -1n): Value =>
  withPattern(pattern, (compiled) => new ValueList(matchesOf(compiled, text as string, most as bigint)));

/** Functions that find matches of a regular expression. */
export const REGEX_LIBRARY: Library = [
  { name: 'find', forms: [methodForm('string_find_string', [STRING, STRING], STRING, find)] },
  {
    name: 'findAll',
    forms: [
      methodForm('string_find_all_string', [STRING, STRING], listOf(STRING), findAll),
      methodForm('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), findAll),
    ],
  },
];

/** Functions whose second argument is a pattern, with their implementations for a precompiled one. */
export const WITH_PATTERN: ReadonlyMap<string, (pattern: CompiledPattern, text: string, most?: Value) => Value> =
  new Map<string, (pattern: CompiledPattern, text: string, most?: Value) => Value>([
    ['matches', (pattern, text) => pattern.test(text)],
    ['find', firstMatch],
    [
      'findAll',
      (pattern, text, most = -1n) =>
        typeof most === 'bigint' ? new ValueList(matchesOf(pattern, text, most)) : failureOr(most),
    ],
  ]);
