import { convert } from '../values/convert.js';
import {
  Dictionary,
  Duration,
  Failure,
  List,
  Timestamp,
  TooMuchEffort,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../values/value.js';
import { fixed, grouped, scientific } from './number-texts.js';

/** Conversion of an argument in a format text: `%.2f`. */
export interface Clause {
  readonly letter: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
  readonly precision: number | undefined;
}

/** Thrown for an invalid format text, or an argument that does not fit. */
export class FormatError extends Error {
  /** @param place of the argument; undefined if the format text itself is invalid */
  constructor(
    message: string,
    readonly place?: number,
  ) {
    super(message);
  }
}

const LETTERS = 'sdfebxXo';
/** UTF-16 units of the longest result. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Interpolates a format text.
 * @param make returns the text of a clause, by the number of its argument
 * @throws FormatError
 */
export function interpolated(form: string, make: (place: number, clause: Clause) => string): string {
  let text = '';
  let place = 0;
  for (let i = 0; i < form.length; i++) {
    if (form[i] !== '%') text += form[i];
    else if (form[i + 1] === '%') {
      text += '%';
      i++;
    } else {
      const { clause, end } = clauseAt(form, i + 1);
      text += make(place++, clause);
      i = end;
    }
    if (text.length > LONGEST) throw new TooMuchEffort();
  }
  return text;
}

const unread = (why: string): FormatError => new FormatError(`could not parse formatting clause: ${why}`);

function clauseAt(form: string, start: number): { readonly clause: Clause; readonly end: number } {
  if (start >= form.length) throw new FormatError('unexpected end of string');
  const [written = '', digits] = /^(?:\.([0-9]*))?/.exec(form.slice(start)) ?? [];
  const end = start + written.length;
  const precision = digits === undefined ? undefined : precisionOf(digits, end >= form.length);
  const letter = form[end] as string;
  if (!LETTERS.includes(letter)) {
    const byte = String.fromCharCode(Buffer.from(letter)[0] as number);
    throw unread(`unrecognized formatting clause "${byte}"`);
  }
  return { clause: { letter: letter as Clause['letter'], precision }, end };
}

function precisionOf(digits: string, isEnd: boolean): number {
  const where = 'error while parsing precision: ';
  if (isEnd) throw unread(`${where}could not find end of precision specifier`);
  const wrong = digits === '' ? 'invalid syntax' : digits.length > 18 ? 'value out of range' : undefined;
  if (wrong !== undefined)
    throw unread(`${where}error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${wrong}`);
  return Number(digits);
}

/** Types that a clause accepts, and the message for others. */
export const CLAUSES: Readonly<
  Record<Clause['letter'], { readonly types: readonly string[]; readonly refusal: string }>
> = {
  s: {
    types: [
      'list',
      'map',
      'int',
      'uint',
      'double',
      'bool',
      'string',
      'bytes',
      'null_type',
      'type',
      'google.protobuf.Timestamp',
      'google.protobuf.Duration',
    ],
    refusal:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { types: ['int', 'uint'], refusal: 'decimal clause can only be used on integers' },
  f: { types: ['double', 'string'], refusal: 'fixed-point clause can only be used on doubles' },
  e: { types: ['double', 'string'], refusal: 'scientific clause can only be used on doubles' },
  b: { types: ['int', 'uint', 'bool'], refusal: 'only integers and bools can be formatted as binary' },
  x: {
    types: ['int', 'uint', 'string', 'bytes'],
    refusal: 'only integers, byte buffers, and strings can be formatted as hex',
  },
  X: {
    types: ['int', 'uint', 'string', 'bytes'],
    refusal: 'only integers, byte buffers, and strings can be formatted as hex',
  },
  o: { types: ['int', 'uint'], refusal: 'octal clause can only be used on integers' },
};

/** Message for an argument whose type a clause does not accept. */
export const refusal = (letter: Clause['letter'], type: string): string =>
  `error during formatting: ${CLAUSES[letter].refusal}, was given ${type}`;

/** `form.format(list)`. */
export function formatted(form: string, list: List): Value {
  try {
    return interpolated(form, (place, clause) => {
      if (place >= list.size) throw new FormatError(`index ${place} out of range`);
      return clauseText(clause, list.at(place));
    });
  } catch (error) {
    if (error instanceof FormatError) return new Failure(error.message);
    throw error;
  }
}

const INFINITE: ReadonlyMap<Value, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

function clauseText({ letter, precision = 6 }: Clause, value: Value): string {
  if (value instanceof Failure) throw new FormatError(value.message);
  const number = typeof value === 'number' ? value : INFINITE.get(value);
  const isDouble = letter === 'f' || letter === 'e';
  if (!CLAUSES[letter].types.includes(typeNameOf(value)) || (isDouble && number === undefined))
    throw new FormatError(refusal(letter, typeNameOf(value)));
  if (isDouble) return letter === 'f' ? grouped(number as number, precision) : scientific(number as number, precision);
  if (letter === 's') return plainText(value);
  return letter === 'd' ? String(wholeOf(value)) : radixText(letter, value);
}

const wholeOf = (value: Value): bigint => (value instanceof Uint ? value.value : (value as bigint));

const RADIX = { b: 2, o: 8, x: 16, X: 16 } as const;

function radixText(letter: 'b' | 'o' | 'x' | 'X', value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  const isBytes = typeof value === 'string' || value instanceof Uint8Array;
  const text = isBytes ? Buffer.from(value as string).toString('hex') : wholeOf(value).toString(RADIX[letter]);
  return letter === 'X' ? text.toUpperCase() : text;
}

/** Formats a value as `%s` does. */
function plainText(value: Value): string {
  if (value instanceof List) return listText(value);
  if (value instanceof Dictionary) return mapText(value);
  const text = convert(value, 'string');
  if (typeof text === 'string') return text;
  const why = text instanceof Failure ? text.message : '';
  throw new FormatError(`error during formatting: could not convert argument ${JSON.stringify(why)} to string`);
}

function listText(list: List): string {
  const texts: string[] = [];
  for (let i = 0; i < list.size; i++) texts.push(literalText(list.at(i)));
  return `[${texts.join(', ')}]`;
}

function mapText(map: Dictionary): string {
  const pairs = map.keys().map((key): [string, string] => {
    const isKey = typeof key === 'string' || typeof key === 'boolean' || typeof key === 'bigint' || key instanceof Uint;
    if (!isKey)
      throw new FormatError(`error during formatting: no formatting function for map key of type ${typeNameOf(key)}`);
    return [literalText(key), literalText(map.find(key) as Value)];
  });
  pairs.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `{${pairs.map((pair) => pair.join(':')).join(', ')}}`;
}

/** Formats a value in lists and maps: as a literal. */
function literalText(value: Value): string {
  if (value instanceof Failure) throw new FormatError(value.message);
  if (value instanceof List || value instanceof Dictionary) return plainText(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(plainText(value))}`;
  if (value instanceof Timestamp) return `timestamp("${plainText(value)}")`;
  if (value instanceof Duration) return `duration("${plainText(value)}")`;
  if (typeof value === 'number') return Number.isFinite(value) ? fixed(value, 6) : `"${plainText(value)}"`;
  const isScalar = value === null || typeof value === 'boolean' || typeof value === 'bigint';
  if (isScalar || value instanceof Uint || value instanceof TypeValue) return plainText(value);
  throw new FormatError(`error during formatting: no formatting function for ${typeNameOf(value)}`);
}
