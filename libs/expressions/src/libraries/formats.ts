import {
  dns1035LabelErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from '@orch/machinery';
import { isOfFormat } from '@orch/schema';
import { listOf, objectOf, optionalOf, STRING } from '../types/type.js';
import { ValueList } from '../values/lists.js';
import { NONE, OptionalValue } from '../values/optionals.js';
import { type Failure, failureOr, Opaque, type Value } from '../values/value.js';
import { globalForm, type Library, methodForm } from './library.js';
import { parseRequestUrl, UrlError } from './url-parser.js';

const NAME = 'kubernetes.NamedFormat';
const FORMAT = objectOf(NAME);

/** A named format of texts. */
export class FormatValue extends Opaque {
  override readonly typeName = NAME;

  /**
   * @param errorsOf returns why a text is not of the format
   * @param patternSize characters of an equivalent pattern, for its cost
   */
  constructor(
    readonly name: string,
    readonly errorsOf: (text: string) => readonly string[],
    readonly patternSize: number,
  ) {
    super();
  }

  override equals(other: Value): boolean | Failure {
    return other instanceof FormatValue ? this.name === other.name : failureOr(other);
  }
}

type Check = (text: string) => readonly string[];

/** Checks a prefix that more text follows: it may end with a dash. */
const ofPrefix =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);

const ofForm =
  (format: string, message: string): Check =>
  (text) =>
    isOfFormat(format, text) ? [] : [message];

function uriErrors(text: string): string[] {
  try {
    parseRequestUrl(text);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}

const formats: readonly (readonly [name: string, check: Check, patternSize: number])[] = [
  ['dns1123Label', dnsLabelErrors, 30],
  ['dns1123Subdomain', dnsSubdomainErrors, 60],
  ['dns1035Label', dns1035LabelErrors, 30],
  ['qualifiedName', qualifiedNameErrors, 60],
  ['dns1123LabelPrefix', ofPrefix(dnsLabelErrors), 30],
  ['dns1123SubdomainPrefix', ofPrefix(dnsSubdomainErrors), 60],
  ['dns1035LabelPrefix', ofPrefix(dns1035LabelErrors), 30],
  ['labelValue', labelValueErrors, 40],
  ['uri', uriErrors, 1103],
  ['uuid', ofForm('uuid', 'does not match the UUID format'), 70],
  ['byte', ofForm('byte', 'invalid base64'), 84],
  ['date', ofForm('date', 'invalid date'), 71],
  ['datetime', ofForm('datetime', 'invalid datetime'), 71],
];

const FORMATS: ReadonlyMap<Value, FormatValue> = new Map(
  formats.map(([name, check, size]) => [name, new FormatValue(name, check, size)]),
);

function named(name: Value | undefined): Value {
  const format = FORMATS.get(name as Value);
  return format ? new OptionalValue(format) : NONE;
}

function validate(format: Value | undefined, text: Value | undefined): Value {
  const errors = (format as FormatValue).errorsOf(text as string);
  return errors.length === 0 ? NONE : new OptionalValue(new ValueList(errors));
}

/** Named formats of texts, of release 1.31. */
export const FORMATS_LIBRARY: Library = [
  { name: 'format.named', forms: [globalForm('format-named', [STRING], optionalOf(FORMAT), named)] },
  {
    name: 'validate',
    forms: [methodForm('format-validate', [FORMAT, STRING], optionalOf(listOf(STRING)), validate)],
  },
  ...[...FORMATS.values()].map((format) => ({
    name: `format.${format.name}`,
    forms: [globalForm(`format.${format.name}`, [], FORMAT, () => format)],
  })),
];
