import { SelectorError } from './label-selector.js';

/** One condition on one field. */
export interface FieldRequirement {
  /** Path of JSON names, such as `spec.nodeName`; which ones a resource knows is not checked here. */
  readonly field: string;
  /** `==` is read as `=`. */
  readonly operator: '=' | '!=';
  /** Without escapes; empty also stands for a field that is not set. */
  readonly value: string;
}

const escaped = (text: string): string => text.replace(/[\\,=]/g, '\\$&');

const requirementText = ({ field, operator, value }: FieldRequirement): string =>
  `${field}${operator}${escaped(value)}`;

/** Everything that a selector says of one field: the values that it is to have, all of them, and those that it may not. */
interface FieldCondition {
  is?: Set<string>;
  not?: Set<string>;
}

function byField(requirements: readonly FieldRequirement[]): ReadonlyMap<string, FieldCondition> {
  const conditions = new Map<string, FieldCondition>();
  for (const { field, operator, value } of requirements) {
    const condition = conditions.get(field) ?? {};
    conditions.set(field, condition);
    const side = operator === '=' ? 'is' : 'not';
    condition[side] ??= new Set();
    condition[side].add(value);
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
    const distinct = new Map(requirements.map((requirement) => [requirementText(requirement), requirement]));
    this.requirements = [...distinct.values()];
    this.canonical = [...distinct.keys()].sort().join(',');
  }

  /** How much it says: one for each condition. */
  get terms(): number {
    return this.requirements.length;
  }

  /** A field that is not there is compared as the empty text. Costs what there are fields, however many conditions. */
  matches(fields: Readonly<Record<string, string>>): boolean {
    this.#conditions ??= byField(this.requirements);
    for (const [field, { is, not }] of this.#conditions) {
      const actual = (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? '';
      if (not?.has(actual) || (is && !(is.size === 1 && is.has(actual)))) return false;
    }
    return true;
  }

  /** The fields that every match has, with their values: what an index can be asked for. */
  equalities(): Map<string, string> {
    const pinned = new Map<string, string>();
    for (const { field, operator, value } of this.requirements) if (operator === '=') pinned.set(field, value);
    return pinned;
  }

  /** The same as {@link canonical}; {@link parseFieldSelector} reads it. */
  toString(): string {
    return this.canonical;
  }
}

/** Splits at commas that no backslash stands before. */
function terms(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      found.push(text.slice(start, i));
      start = i + 1;
    }
  }
  found.push(text.slice(start));
  return found.filter((term) => term !== '');
}

/** `\\`, `\,` and `\=` stand for themselves; other escapes and bare `,` and `=` are errors. */
function unescaped(text: string): string {
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
    if (next !== '\\' && next !== ',' && next !== '=') {
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${next}`);
    }
    value += next;
  }
  return value;
}

/** The first operator of a term; a backslash takes the character behind it out of consideration. */
const TERM = /^((?:[^\\=!]|\\.|!(?!=))*)(!=|==|=)(.*)$/s;

/**
 * The string form of a field selector: `metadata.name=x,spec.nodeName!=y`, with `\` before `,`, `=` and `\` in values.
 * @throws SelectorError
 */
export function parseFieldSelector(text: string): FieldSelector {
  return new FieldSelector(
    terms(text).map((term) => {
      const match = TERM.exec(term);
      if (!match)
        throw new SelectorError(`invalid selector: ${JSON.stringify(text)}; can't understand ${JSON.stringify(term)}`);
      const [, field = '', operator = '', value = ''] = match;
      return { field, operator: operator === '!=' ? '!=' : '=', value: unescaped(value) };
    }),
  );
}
