import { BOOL, INT, objectOf, STRING } from '../types/type.js';
import { Failure, failureOr, Opaque, type Value } from '../values/value.js';
import { globalForm, type Library, methodForm } from './library.js';

const NAME = 'kubernetes.Semver';
const SEMVER = objectOf(NAME);
const MAX_NUMBER = (1n << 64n) - 1n;

/** A version of semver.org; build metadata is ignored. */
interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  /** Pre-release identifiers. */
  readonly before: readonly (string | bigint)[];
}

class SemverValue extends Opaque {
  override readonly typeName = NAME;

  constructor(readonly version: Version) {
    super();
  }

  override equals(other: Value): boolean | Failure {
    return other instanceof SemverValue ? compare(this.version, other.version) === 0n : failureOr(other);
  }
}

/** Thrown for texts that are no versions. */
class SemverError extends Error {}

const refuse = (message: string): never => {
  throw new SemverError(message);
};

function numberOf(part: string, name: string): bigint {
  if (!/^[0-9]*$/.test(part)) refuse(`Invalid character(s) found in ${name} number ${JSON.stringify(part)}`);
  if (part.length > 1 && part.startsWith('0'))
    refuse(`${name[0]?.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${JSON.stringify(part)}`);
  if (part === '') refuse('strconv.ParseUint: parsing "": invalid syntax');
  const value = part.length > 20 ? MAX_NUMBER + 1n : BigInt(part);
  return value > MAX_NUMBER ? refuse(`strconv.ParseUint: parsing ${JSON.stringify(part)}: value out of range`) : value;
}

function identifierOf(part: string): string | bigint {
  if (part === '') refuse('Prerelease is empty');
  if (/^[0-9]+$/.test(part)) {
    if (part.length > 1 && part.startsWith('0'))
      refuse(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`);
    return numberOf(part, 'prerelease');
  }
  return /^[0-9A-Za-z-]+$/.test(part)
    ? part
    : refuse(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`);
}

/** @throws SemverError */
function parse(text: string): Version {
  if (text === '') refuse('Version string empty');
  const [major, minor, ...rest] = text.split('.');
  if (minor === undefined || rest.length === 0) return refuse('No Major.Minor.Patch elements found');
  const numbers = [numberOf(major as string, 'major'), numberOf(minor, 'minor')] as const;
  const [unbuilt = '', ...built] = splitAt(rest.join('.'), '+');
  const [patch = '', ...before] = splitAt(unbuilt, '-');
  const number = numberOf(patch, 'patch');
  const identifiers = before.flatMap((each) => each.split('.')).map(identifierOf);
  for (const part of built.flatMap((each) => each.split('.'))) {
    if (part === '') refuse('Build meta data is empty');
    if (!/^[0-9A-Za-z-]+$/.test(part)) refuse(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`);
  }
  return { numbers: [...numbers, number], before: identifiers };
}

const splitAt = (text: string, mark: string): string[] => {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

/** Normalizes a version in lenient notation: `v01.2` is `1.2.0`. @throws SemverError */
function normalized(text: string): string {
  const all = text.replace(/^v/, '').split('.');
  const parts = all.length > 3 ? [...all.slice(0, 2), all.slice(2).join('.')] : all;
  const plain = parts.map((part) => {
    if (part.length < 2) return part;
    const rest = part.replace(/^0+/, '');
    return /^[0-9]/.test(rest) ? rest : `0${rest}`;
  });
  if (plain.length < 3 && /[+-]/.test(plain.at(-1) as string))
    refuse('short version cannot contain PreRelease/Build meta data');
  while (plain.length < 3) plain.push('0');
  return plain.join('.');
}

const order = <T extends string | bigint>(a: T, b: T): bigint => (a < b ? -1n : a > b ? 1n : 0n);

function compareIdentifiers(a: string | bigint, b: string | bigint): bigint {
  if (typeof a === typeof b) return order(a, b);
  return typeof a === 'bigint' ? -1n : 1n;
}

function compare(a: Version, b: Version): bigint {
  for (const [i, number] of a.numbers.entries()) {
    const found = order(number, b.numbers[i] as bigint);
    if (found !== 0n) return found;
  }
  if (a.before.length === 0 || b.before.length === 0)
    return order(BigInt(b.before.length), BigInt(a.before.length)) && (a.before.length === 0 ? 1n : -1n);
  for (let i = 0; i < a.before.length && i < b.before.length; i++) {
    const found = compareIdentifiers(a.before[i] as string | bigint, b.before[i] as string | bigint);
    if (found !== 0n) return found;
  }
  return order(BigInt(a.before.length), BigInt(b.before.length));
}

function read(text: Value | undefined, normalizes: Value = false): SemverValue | Failure {
  try {
    return new SemverValue(parse(normalizes === true ? normalized(text as string) : (text as string)));
  } catch (error) {
    if (error instanceof SemverError) return new Failure(error.message);
    throw error;
  }
}

const isRead = (text?: Value, normalizes?: Value): boolean => !(read(text, normalizes) instanceof Failure);
const versionOf = (value: Value | undefined): Version => (value as SemverValue).version;

const part = (name: string, place: 0 | 1 | 2) => ({
  name,
  forms: [methodForm(`semver_${name}`, [SEMVER], INT, (value) => BigInt.asIntN(64, versionOf(value).numbers[place]))],
});

const comparing = (name: string, id: string, holds: (order: bigint) => Value, result = BOOL) => ({
  name,
  forms: [methodForm(id, [SEMVER, SEMVER], result, (a, b) => holds(compare(versionOf(a), versionOf(b))))],
});

/** Functions on semantic versions, of release 1.33. */
export const SEMVER_LIBRARY: Library = [
  {
    name: 'semver',
    forms: [
      globalForm('string_to_semver', [STRING], SEMVER, (text) => read(text)),
      globalForm('string_bool_to_semver', [STRING, BOOL], SEMVER, read),
    ],
  },
  {
    name: 'isSemver',
    forms: [
      globalForm('is_semver_string', [STRING], BOOL, (text) => isRead(text)),
      globalForm('is_semver_string_bool', [STRING, BOOL], BOOL, isRead),
    ],
  },
  comparing('isGreaterThan', 'semver_is_greater_than', (found) => found > 0n),
  comparing('isLessThan', 'semver_is_less_than', (found) => found < 0n),
  comparing('compareTo', 'semver_compare_to', (found) => found, INT),
  part('major', 0),
  part('minor', 1),
  part('patch', 2),
];
