import { BASE_ENVIRONMENT, LATER_ENVIRONMENT } from '../src/environment.js';
import { PER_CALL_LIMIT, RuleCompiler } from '../src/rules/compile.js';
import { declaredType } from '../src/schema-types/declared-type.js';
import type { Raw } from '../src/schema-types/native.js';
import { readerOf } from '../src/schema-types/reader.js';
import type { SchemaProps } from '../src/schema-types/structural-schema.js';
import { Failure, type Value } from '../src/values/value.js';

/** What is said to a rule. */
export interface Answer {
  readonly error?: string;
  /** Units, as text. */
  readonly maxCost?: string;
  readonly cost?: number;
  readonly failure?: string;
  readonly value?: boolean;
}

/** A rule, and the places of the values that it is asked of. */
export interface Question {
  readonly rule: string;
  readonly self: number;
  readonly old: number;
}

/** Beyond it a static cost is mere saturation. */
const SATURATED = 10n ** 15n;

/** What the reference says when it has failed itself: for bytes as keys of a map. */
const CRASH = 'internal error: runtime error';

/** Compares answers with ours. */
export class Judge {
  readonly #compiler: RuleCompiler;
  readonly #later: RuleCompiler;
  readonly #values: readonly Value[];
  readonly #counts = { refused: 0, failed: 0, held: 0, broken: 0 };

  constructor(schema: SchemaProps, selves: readonly Raw[]) {
    const declared = declaredType(schema, false);
    if (!declared) throw new Error('no schema of an object');
    this.#compiler = new RuleCompiler(declared, BASE_ENVIRONMENT);
    this.#later = new RuleCompiler(declared, LATER_ENVIRONMENT);
    this.#values = selves.map(readerOf(schema));
  }

  /** What is not the same; undefined where all is. */
  difference(question: Question, reference: Answer): string | undefined {
    if (reference.failure?.startsWith(CRASH)) return undefined;
    const ours = this.#answer(question, this.#compiler);
    const [want, got] = [reference, ours].map((answer) => JSON.stringify(comparable(answer)));
    if (want !== got) return `release 1.27: ${want}\n  ours:         ${got}`;
    if (reference.value === undefined) return undefined;
    const { value } = this.#answer(question, this.#later);
    return value === reference.value ? undefined : `with later expressions: ${value}, not ${reference.value}`;
  }

  count({ error, failure, value }: Answer): void {
    if (error !== undefined) this.#counts.refused++;
    else if (failure !== undefined) this.#counts.failed++;
    else if (value) this.#counts.held++;
    else this.#counts.broken++;
  }

  get summary(): string {
    const { refused, failed, held, broken } = this.#counts;
    return `${held} held, ${broken} did not, ${failed} failed, ${refused} were refused`;
  }

  #answer({ rule, self, old }: Question, compiler: RuleCompiler): Answer {
    const { test } = compiler.compile({ rule });
    if (test?.program === undefined) return { error: test?.error ?? 'no rule' };
    const bindings = new Map([
      ['self', this.#values[self] as Value],
      ['oldSelf', this.#values[old] as Value],
    ]);
    const { value, cost } = test.program.evaluate(bindings, PER_CALL_LIMIT);
    const result = value instanceof Failure ? { failure: value.message } : { value: value as boolean };
    return { maxCost: String(test.maxCost), cost, ...result };
  }
}

const QUALIFIER = /(invalid qualifier type): .*/;

/** The reference numbers the type of the root by its clock, and calls some types what its own language calls them. */
const comparable = ({ error, maxCost, cost, failure, value }: Answer) => ({
  error: error?.replace(/selfType\d+/g, 'selfType').replace(QUALIFIER, '$1'),
  maxCost: maxCost !== undefined && BigInt(maxCost) > SATURATED ? 'saturated' : maxCost,
  cost,
  failure: failure?.replace(QUALIFIER, '$1'),
  value,
});
