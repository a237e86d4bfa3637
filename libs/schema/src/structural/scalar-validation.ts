import { type FieldError, invalidValue, tooLong, typeInvalid, VerbatimValue, verbatim } from '@orch/machinery';
import type { Effort } from './effort.js';
import type { Findings, Place } from './findings.js';
import { isKnownFormat, isOfFormat } from './formats.js';
import { isInteger, numberText } from './json.js';
import type { ValueRules } from './value-rules.js';

/** Error for a value in the reference's wording. */
export const refused = (place: Place, value: unknown, text: string): FieldError =>
  invalidValue(place.field, value, `${place.name} in body ${text}`);

/** Returns the type of a value, and the reference's name for its Go form. */
function typeOf(value: unknown): readonly [type: string, format: string] {
  if (typeof value === 'string') return ['string', ''];
  if (typeof value === 'boolean') return ['boolean', ''];
  if (Array.isArray(value)) return ['array', ''];
  if (isInteger(value)) return ['integer', 'int64'];
  return typeof value === 'number' || typeof value === 'bigint' ? ['number', 'float64'] : ['object', ''];
}

/**
 * Returns why a value is not of its declared type. Texts and lists are of any type with a format, unless that is a
 * number: as in the reference.
 */
export function typeFault(types: readonly string[], format: string, value: unknown): TypeFault | undefined {
  if (types.length === 0 && format === '') return undefined;
  const [type, form] = typeOf(value);
  const fits =
    types.includes(type) ||
    (type === 'number' && types.includes('integer') && isWhole(Number(value))) ||
    (type === 'integer' && types.includes('number'));
  if (fits) return undefined;
  if (format !== '' && (type === 'string' || type === 'array')) {
    if (!types.includes('number') && !types.includes('integer')) return undefined;
  } else if (format !== '' && form !== format) return { wanted: format, found: form };
  return { wanted: types.join(','), found: type };
}

interface TypeFault {
  readonly wanted: string;
  readonly found: string;
}

export const wrongType = (place: Place, { wanted, found }: TypeFault): FieldError =>
  typeInvalid(place.field, found, `${place.name} in body must be of type ${wanted}: "${found}"`);

/** Whether a number is whole, within the precision of fractions. */
function isWhole(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  return value > 0 && whole !== 0 && (value - whole) / (value + whole) < 1e-9;
}

/** Checks the format of a text, and its length and pattern, of which only the first violation is reported. */
export function checkText(rules: ValueRules, format: string, value: string, findings: Findings, effort: Effort): void {
  const { maxLength, minLength } = rules.props;
  const { pattern } = rules;
  if (maxLength === undefined && minLength === undefined && pattern === '' && format === '') return;
  effort.compare(1 + value.length / 16);
  checkForm(rules, value, findings, effort);
  if (format === '' || !isKnownFormat(format) || isOfFormat(format, value)) return;
  const refusedValue = ({ name, field }: Place) =>
    typeInvalid(field, value, `${name} in body must be of type ${format}: ${verbatim(value).text}`);
  findings.report(refusedValue, value.length);
}

function checkForm({ props, pattern }: ValueRules, value: string, findings: Findings, effort: Effort): void {
  const { maxLength: most, minLength: least } = props;
  const { length } = value;
  // A character takes one unit, or two.
  if (isGiven(most) && length > most && charactersOf(value) > most) {
    const message = `Too long: may not be longer than ${most}`;
    findings.report(({ field }) => ({ ...tooLong(field, Number(most)), message }));
    return;
  }
  if (isGiven(least) && (length < least || (length < 2 * Number(least) && charactersOf(value) < least))) {
    findings.report((place) => refused(place, value, `should be at least ${least} chars long`), length);
    return;
  }
  const fault = pattern === '' ? undefined : effort.faultOf(pattern, value);
  if (fault !== undefined)
    findings.report((place) => refused(place, value, `should match '${fault}'`), length + fault.length);
}

/** Whether a limit is set. */
export const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;

function charactersOf(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) if (text.charCodeAt(at) >> 10 === 0x37) count--;
  return count;
}

/** Limits of integers are integers too: their fractions are cut off. */
export function checkNumber({ props }: ValueRules, value: number | bigint, findings: Findings): void {
  const { multipleOf, minimum, maximum } = props;
  if (!isGiven(multipleOf) && !isGiven(minimum) && !isGiven(maximum)) return;
  const limit = (given: number | bigint | undefined) =>
    isInteger(value) && typeof given === 'number' ? Math.trunc(given) : given;
  const report = (text: string) => findings.report((place) => refused(place, shownNumber(value), text));
  const [factor, least, most] = [limit(multipleOf), limit(minimum), limit(maximum)];
  if (isGiven(factor) && factor <= 0) {
    findings.report(({ name, field }) =>
      invalidValue(
        field,
        shownNumber(factor),
        `factor MultipleOf declared for ${name} must be positive: ${numberText(factor)}`,
      ),
    );
  } else if (isGiven(factor) && !isMultiple(value, factor)) report(`should be a multiple of ${numberText(factor)}`);
  const above = props.exclusiveMinimum === true;
  if (isGiven(least) && (above ? value <= least : value < least))
    report(`should be greater than ${above ? '' : 'or equal to '}${numberText(least)}`);
  const below = props.exclusiveMaximum === true;
  if (isGiven(most) && (below ? value >= most : value > most))
    report(`should be less than ${below ? '' : 'or equal to '}${numberText(most)}`);
}

const shownNumber = (value: number | bigint): VerbatimValue => new VerbatimValue(numberText(value));

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (isInteger(value)) return BigInt(value) % BigInt(factor) === 0n;
  const [of, by] = [Number(value), Number(factor)];
  return isWhole(by < 1 ? (1 / by) * of : of / by);
}
