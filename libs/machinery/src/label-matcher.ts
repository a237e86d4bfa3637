import type { LabelRequirement } from './label-requirement.js';

type Labels = Readonly<Record<string, string>>;

const INTEGER = /^[+-]?\d+$/;
/** Forbidden keys are looked up one by one up to this number; beyond it, the labels are looked up among them. */
const FEW = 8;

/** All conditions on the value of one label. */
class KeyCondition {
  /** Whether labels without the key cannot match. */
  required = false;
  #in: ReadonlySet<string> | undefined;
  #notIn: Set<string> | undefined;
  #above: bigint | undefined;
  #below: bigint | undefined;

  add({ operator, values }: LabelRequirement): void {
    this.required ||= operator !== 'notin';
    const [first = '0'] = values;
    switch (operator) {
      case 'in':
        this.#in = new Set(values.filter((value) => this.#in?.has(value) ?? true));
        break;
      case 'notin':
        this.#notIn ??= new Set();
        for (const value of values) this.#notIn.add(value);
        break;
      case 'gt':
        this.#above = larger(this.#above, BigInt(first));
        break;
      case 'lt':
        this.#below = smaller(this.#below, BigInt(first));
    }
  }

  /** Checks the value of an existing label. */
  allows(value: string): boolean {
    if (this.#notIn?.has(value) || this.#in?.has(value) === false) return false;
    if (this.#above === undefined && this.#below === undefined) return true;
    if (!INTEGER.test(value)) return false;
    const number = BigInt(value);
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below);
  }
}

const larger = (a: bigint | undefined, b: bigint): bigint => (a !== undefined && a > b ? a : b);
const smaller = (a: bigint | undefined, b: bigint): bigint => (a !== undefined && a < b ? a : b);

/**
 * A conjunction of conditions, arranged so that matching costs as much as the labels, however many conditions there
 * are, and so that forbidden keys, of which there may be thousands, take little memory.
 */
export class LabelMatcher {
  readonly #required: [key: string, condition: KeyCondition][] = [];
  readonly #others = new Map<string, KeyCondition>();
  readonly #absent = new Set<string>();

  constructor(requirements: readonly LabelRequirement[]) {
    const conditions = new Map<string, KeyCondition>();
    for (const requirement of requirements) {
      const { key, operator } = requirement;
      if (operator === '!') {
        this.#absent.add(key);
        continue;
      }
      const condition = conditions.get(key) ?? new KeyCondition();
      condition.add(requirement);
      conditions.set(key, condition);
    }
    for (const [key, condition] of conditions) {
      if (condition.required) this.#required.push([key, condition]);
      else this.#others.set(key, condition);
    }
  }

  matches(labels: Labels): boolean {
    // Stops at the first missing key: no more are looked up than there are labels, plus one.
    for (const [key, condition] of this.#required) {
      const value = labelOf(labels, key);
      if (value === undefined || !condition.allows(value)) return false;
    }
    if (this.#others.size + this.#absent.size <= FEW) return this.#lookFor(labels);
    for (const key of Object.keys(labels)) if (!this.#allows(key, labels[key])) return false;
    return true;
  }

  #lookFor(labels: Labels): boolean {
    for (const key of this.#absent) if (labelOf(labels, key) !== undefined) return false;
    for (const key of this.#others.keys()) if (!this.#allows(key, labelOf(labels, key))) return false;
    return true;
  }

  #allows(key: string, value: string | undefined): boolean {
    return value === undefined || !(this.#absent.has(key) || this.#others.get(key)?.allows(value) === false);
  }
}

const labelOf = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;
