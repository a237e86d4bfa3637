import { isKnownFormat } from './formats.js';
import { isInteger, isSame, sizeOf } from './json.js';
import type { SchemaProps } from './schema-props.js';

/** Rules that a schema has for a value itself, apart from the members in it. */
export class ValueRules<Schema = unknown> {
  /** Allowed types of a value; any if empty. */
  readonly types: readonly string[];
  /** Format of texts; '' for none, and for unknown ones. */
  readonly format: string;
  readonly pattern: string;
  readonly required: readonly string[];
  readonly enum: Enum | undefined;
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
  /** Whether several schemas apply to the same value. */
  readonly combined: boolean;
  /** Cost of checking each value, in comparisons. */
  readonly cost: number;

  constructor(
    readonly props: SchemaProps,
    compile: (props: SchemaProps) => Schema,
  ) {
    const { type = '', format = '' } = props;
    this.types = props['x-kubernetes-int-or-string'] === true ? INT_OR_STRING : type === '' ? NONE : [type];
    this.format = isKnownFormat(format) ? format : '';
    this.pattern = props.pattern ?? '';
    this.required = props.required ?? NONE;
    this.enum = props.enum && props.enum.length > 0 ? new Enum(props.enum) : undefined;
    this.allOf = props.allOf?.map(compile) ?? NONE;
    this.anyOf = props.anyOf?.map(compile) ?? NONE;
    this.oneOf = props.oneOf?.map(compile) ?? NONE;
    this.not = props.not ? compile(props.not) : undefined;
    const others = this.allOf.length + this.anyOf.length + this.oneOf.length;
    this.combined = others > 0 || this.not !== undefined;
    this.cost = 1 + others + this.required.length + Object.keys(props.properties ?? {}).length;
  }
}

/** Shared, as very many schemas have none. */
const NONE: readonly never[] = [];
const INT_OR_STRING = ['integer', 'string'];

/** Allowed values. Numbers are compared as in the reference, which truncates to the type of the listed one. */
class Enum {
  readonly #texts: ReadonlySet<unknown>;
  readonly #others: readonly unknown[];
  #size: number | undefined;

  constructor(readonly values: readonly unknown[]) {
    this.#texts = new Set(values.filter((value) => typeof value === 'string'));
    this.#others = values.filter((value) => typeof value !== 'string' && value !== null);
  }

  /** Size of all of them, in comparisons. */
  get size(): number {
    this.#size ??= sizeOf(this.values);
    return this.#size;
  }

  /** Number of values that one is compared with. */
  get comparisons(): number {
    return 1 + this.#others.length;
  }

  has(value: unknown): boolean {
    if (typeof value === 'string') return this.#texts.has(value);
    if (isInteger(value) && this.#texts.has(characterOf(value))) return true;
    return this.#others.some((one) => isOne(value, one));
  }

  /** Text of each, as messages list them. */
  get shown(): string[] {
    return this.values.map((one) => (typeof one === 'string' ? one : textOf(one)));
  }
}

function isOne(value: unknown, one: unknown): boolean {
  if (isNumber(value) && isNumber(one)) {
    // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint that are the same
    return isInteger(one) && typeof value === 'number' ? Math.trunc(value) == one : value == one;
  }
  return isSame(value, one);
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** The reference converts an integer to the character of that code if a text is listed. */
function characterOf(code: number | bigint): string {
  const point = Number(code);
  const isOneOfUnicode = point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return isOneOfUnicode ? String.fromCodePoint(point) : '\ufffd';
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? Number(each) : each));
