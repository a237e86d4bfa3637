import { SelectorError } from './label-selector.js';

/** A condition on a field. */
export interface FieldRequirement {
  /** Path of JSON names, such as `spec.nodeName`; which ones a resource knows is not checked here. */
  readonly field: string;
  /** `==` is read as `=`. Sets are not known to release 1.27: who takes them says so for each resource. */
  readonly operator: '=' | '!=' | 'in' | 'notin';
  /** Without escapes; one where the operator is none of sets. Empty also stands for a field that is not set. */
  readonly values: readonly string[];
}

/** Whether a condition speaks of a set of values. */
export const isOfSet = ({ operator }: FieldRequirement): boolean => operator === 'in' || operator === 'notin';

const demands = ({ operator }: FieldRequirement): boolean => operator === '=' || operator === 'in';
const escaped = (text: string): string => text.replace(/[\\,=]/g, '\\$&');

/** Conditions in one form: sets of one value, and those that exclude, by single comparisons. */
function requirementTexts(requirement: FieldRequirement): string[] {
  const { field } = requirement;
  const values = [...new Set(requirement.values)].sort().map(escaped);
  if (!demands(requirement)) return values.map((value) => `${field}!=${value}`);
  const inSet = values.map((value) => value.replace(/[()]/g, '\\$&'));
  return [values.length === 1 ? `${field}=${values[0]}` : `${field} in (${inSet.join(',')})`];
}

/** Everything that a selector says of one field: the values of which it is to have one, and those that it may not have. */
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
  /** Without repeats. */
  readonly requirements: readonly FieldRequirement[];
  /** String form in one order: equal texts select the same objects. */
  readonly canonical: string;
  #conditions: ReadonlyMap<string, FieldCondition> | undefined;

  /** @param requirements all must hold; none means that everything matches */
  constructor(requirements: readonly FieldRequirement[]) {
    const distinct = new Map(requirements.map((each) => [requirementTexts(each).join(), each]));
    this.requirements = [...distinct.values()];
    this.canonical = [...new Set(this.requirements.flatMap(requirementTexts))].sort().join(',');
  }

  /** How much it says: one for each value. */
  get terms(): number {
    return this.requirements.reduce((sum, { values }) => sum + values.length, 0);
  }

  /** A field that is not there is compared as the empty text. Costs what there are fields, however many conditions. */
  matches(fields: Readonly<Record<string, string>>): boolean {
    this.#conditions ??= byField(this.requirements);
    for (const [field, { is, not }] of this.#conditions) {
      const actual = (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? '';
      if (not.has(actual) || is?.has(actual) === false) return false;
    }
    return true;
  }

  /** The fields that every match has, with their values: what an index can be asked for. */
  equalities(): Map<string, string> {
    const pinned = new Map<string, string>();
    for (const requirement of this.requirements) {
      const [only = '', ...others] = requirement.values;
      if (demands(requirement) && others.length === 0) pinned.set(requirement.field, only);
    }
    return pinned;
  }

  /** The same as {@link canonical}; {@link parseFieldSelector} reads it. */
  toString(): string {
    return this.canonical;
  }
}

/** A term that speaks of a set, and nothing else: `spec.color in (red,blue)`. */
const SET_TERM = /\s*([^\s\\=!,()]+)\s+(in|notin)\s*\(((?:[^\\()]|\\.)*)\)\s*(?:,|$)/sy;
/** The first operator of any other term; a backslash takes the character behind it out of consideration. */
const TERM = /^((?:[^\\=!]|\\.|!(?!=))*)(!=|==|=)(.*)$/s;

/** The term that begins at a place, up to a comma that no backslash stands before, and the place behind it. */
function termAt(text: string, start: number): { readonly term: string; readonly end: number } {
  let end = start;
  while (end < text.length && text[end] !== ',') end += text[end] === '\\' ? 2 : 1;
  return { term: text.slice(start, end), end: end + 1 };
}

/** `\\`, `\,` and `\=` stand for themselves, and what else is named; other escapes and bare `,` and `=` are errors. */
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

/** The values between the parentheses of a set; none are the empty one. */
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
