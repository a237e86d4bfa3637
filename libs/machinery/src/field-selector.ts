import { SelectorError } from './label-selector.js';

/** A condition on a field. */
export interface FieldRequirement {
  /** Path of JSON names, such as `spec.nodeName`; whether a resource has it is not checked here. */
  readonly field: string;
  /** `==` is read as `=`. Release 1.27 has no set operators: each resource decides whether it accepts them. */
  readonly operator: '=' | '!=' | 'in' | 'notin';
  /** Values without escapes; a single one unless the operator is for sets. Empty also matches an unset field. */
  readonly values: readonly string[];
}

/** Whether a condition has a set operator. */
export const isOfSet = ({ operator }: FieldRequirement): boolean => operator === 'in' || operator === 'notin';

const demands = ({ operator }: FieldRequirement): boolean => operator === '=' || operator === 'in';
const escaped = (text: string): string => text.replace(/[\\,=]/g, '\\$&');

/** Returns conditions in canonical form: sets of one value, and exclusions, as single comparisons. */
function requirementTexts(requirement: FieldRequirement): string[] {
  const { field } = requirement;
  const values = [...new Set(requirement.values)].sort().map(escaped);
  if (!demands(requirement)) return values.map((value) => `${field}!=${value}`);
  const inSet = values.map((value) => value.replace(/[()]/g, '\\$&'));
  return [values.length === 1 ? `${field}=${values[0]}` : `${field} in (${inSet.join(',')})`];
}

/** All conditions on one field: its allowed values, and its forbidden ones. */
interface FieldCondition {
  is?: ReadonlySet<string>;
  readonly not: Set<string>;
}

function byField(requirements: readonly FieldRequirement[]): ReadonlyMap<string, FieldCondition> {
  const conditions = new Map<string, FieldCondition>();
  for (const requirement of requirements) {
    const { field, values } = requirement;
    const condition = conditions.get(field) ?? { not: new Set() };
    conditions.set(field, condition);
    const { is } = condition;
    if (demands(requirement)) condition.is = new Set(is ? values.filter((value) => is.has(value)) : values);
    else for (const value of values) condition.not.add(value);
  }
  return conditions;
}

/** A conjunction of conditions on fields. Immutable. */
export class FieldSelector {
  /** Conditions without duplicates. */
  readonly requirements: readonly FieldRequirement[];
  /** Canonical text: equal texts select the same objects. */
  readonly canonical: string;
  #conditions: ReadonlyMap<string, FieldCondition> | undefined;

  /** @param requirements all must be met; none matches everything */
  constructor(requirements: readonly FieldRequirement[]) {
    const distinct = new Map(requirements.map((each) => [requirementTexts(each).join(), each]));
    this.requirements = [...distinct.values()];
    this.canonical = [...new Set(this.requirements.flatMap(requirementTexts))].sort().join(',');
  }

  /** Number of terms: one for each value. */
  get terms(): number {
    return this.requirements.reduce((sum, { values }) => sum + values.length, 0);
  }

  /**
   * Whether fields match; a missing field counts as the empty text. Costs as much as the fields, however many
   * conditions.
   */
  matches(fields: Readonly<Record<string, string>>): boolean {
    this.#conditions ??= byField(this.requirements);
    for (const [field, { is, not }] of this.#conditions) {
      const actual = (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? '';
      if (not.has(actual) || is?.has(actual) === false) return false;
    }
    return true;
  }

  /** Returns the fields with one allowed value, for lookups in an index. */
  equalities(): Map<string, string> {
    const pinned = new Map<string, string>();
    for (const requirement of this.requirements) {
      const [only = '', ...others] = requirement.values;
      if (demands(requirement) && others.length === 0) pinned.set(requirement.field, only);
    }
    return pinned;
  }

  /** Same as {@link canonical}; {@link parseFieldSelector} parses it. */
  toString(): string {
    return this.canonical;
  }
}

/** A term with a set operator, and nothing else: `spec.color in (red,blue)`. */
const SET_TERM = /\s*([^\s\\=!,()]+)\s+(in|notin)\s*\(((?:[^\\()]|\\.)*)\)\s*(?:,|$)/sy;
/** The first operator of any other term; a backslash escapes the character behind it. */
const TERM = /^((?:[^\\=!]|\\.|!(?!=))*)(!=|==|=)(.*)$/s;

/** Returns the term at an offset, up to an unescaped comma, and the offset behind it. */
function termAt(text: string, start: number): { readonly term: string; readonly end: number } {
  let end = start;
  while (end < text.length && text[end] !== ',') end += text[end] === '\\' ? 2 : 1;
  return { term: text.slice(start, end), end: end + 1 };
}

/** Removes escapes: `\\`, `\,`, `\=`, and those of `more`; other escapes and bare `,` and `=` are errors. */
function unescaped(text: string, more = ''): string {
  let value = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === ',' || character === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character}`);
    }
    if (character !== '\\') {
      value += character;
      continue;
    }
    const next = text.charAt(++i);
    if (next === '' || !`\\,=${more}`.includes(next)) {
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`);
    }
    value += next;
  }
  return value;
}

/** Parses the values between the parentheses of a set; none means the empty one. */
function setValues(text: string): string[] {
  const values: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const { term, end } = termAt(text, at);
    values.push(unescaped(term.trim(), '()'));
    at = end;
  }
  return values;
}

/**
 * Parses the string form of a field selector: `metadata.name=x,spec.nodeName!=y`, with `\` before `,`, `=` and `\` in
 * values; and, for terms that release 1.27 does not know, `spec.color in (red,blue)` and `spec.color notin (red)`.
 * @throws SelectorError
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (let at = 0; at < text.length; ) {
    SET_TERM.lastIndex = at;
    const set = SET_TERM.exec(text);
    if (set) {
      const [, field = '', operator, values = ''] = set;
      requirements.push({ field, operator: operator === 'in' ? 'in' : 'notin', values: setValues(values) });
      at = SET_TERM.lastIndex;
      continue;
    }
    const { term, end } = termAt(text, at);
    at = end;
    if (term === '') continue;
    const [, field, operator, value = ''] = TERM.exec(term) ?? [];
    if (field === undefined)
      throw new SelectorError(`invalid selector: ${JSON.stringify(text)}; can't understand ${JSON.stringify(term)}`);
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', values: [unescaped(value)] });
  }
  return new FieldSelector(requirements);
}
