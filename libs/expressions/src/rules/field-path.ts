import { type SchemaProps, valueSchemaOf } from '../schema-types/structural-schema.js';

/** Thrown for an invalid path, or one that leads nowhere; the message is that of the reference. */
export class FieldPathError extends Error {
  override readonly name = 'FieldPathError';
}

/** A field of objects, named by a path. */
export interface FieldPlace {
  /** Names of the members on the path. */
  readonly names: readonly string[];
  /** The path in messages. */
  readonly text: string;
  /** Undefined if the schema does not declare it. */
  readonly schema: SchemaProps | undefined;
}

const NOWHERE = 'does not refer to a valid field';
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

/**
 * The field that a path of members names: `.spec.color`, `.labels['app']` (apiextensions, schema/cel/validation.go).
 * @param schema of the value where the path begins
 * @param hasBrackets whether members may be named in brackets; default true
 * @throws FieldPathError
 */
export function fieldAt(path: string, schema: SchemaProps, hasBrackets = true): FieldPlace {
  const tokens = tokensOf(path);
  const next = (): string => {
    const token = tokens.shift();
    if (token === undefined) throw new FieldPathError('unexpected end of JSON path');
    return token;
  };
  let place: FieldPlace = { names: [], text: '', schema };
  while (tokens.length > 0) {
    const token = next();
    if (token === '.') place = memberOf(place, next());
    else if (token !== '[') throw new FieldPathError(`expected [ or . but got: ${token}`);
    else if (!hasBrackets) throw new FieldPathError('array notation is not allowed');
    else {
      place = memberOf(place, unquoted(next()));
      const end = next();
      if (end !== ']') throw new FieldPathError(`expected ] but got ${end}`);
    }
  }
  return place;
}

/** Splits a path into punctuation, texts in single quotes, and the text between. */
function tokensOf(path: string): string[] {
  const tokens: string[] = [];
  let rest = path;
  while (rest !== '') {
    const length = rest.startsWith("'") ? quotedLength(rest) : Math.max(1, plainLength(rest));
    tokens.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return tokens;
}

function quotedLength(text: string): number {
  for (let i = 1; i < text.length; i++) if (text[i] === "'" && text[i - 1] !== '\\') return i + 1;
  return text.length;
}

function plainLength(text: string): number {
  const end = text.search(/[.[\]]/);
  return end < 0 ? text.length : end;
}

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    throw new FieldPathError(`expected single quoted string but got ${token}`);
  return token.slice(1, -1).replace(/\\./g, (written) => {
    const char = ESCAPES.get(written[1] as string);
    if (char === undefined) throw new FieldPathError(`invalid string literal: invalid escape char ${written}`);
    return char;
  });
}

function memberOf({ names, text, schema }: FieldPlace, name: string): FieldPlace {
  const { properties } = schema ?? {};
  if (properties) {
    if (!Object.hasOwn(properties, name)) throw new FieldPathError(NOWHERE);
    return { names: [...names, name], text: text === '' ? name : `${text}.${name}`, schema: properties[name] };
  }
  if (!schema?.additionalProperties) throw new FieldPathError(NOWHERE);
  return { names: [...names, name], text: `${text}[${name}]`, schema: valueSchemaOf(schema) };
}
