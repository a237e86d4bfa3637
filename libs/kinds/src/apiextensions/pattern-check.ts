import { patternOf } from '@orch/schema';
import { type Json, textAt } from '../values/fields.js';
import { allSchemas } from './schema-walk.js';

/** Steps of all patterns of one definition: so many take about three quarters of a second to read. */
const MOST_STEPS = 400_000;
const TOO_MANY = `the patterns of a definition take more than ${MOST_STEPS} steps`;

/**
 * Reads the patterns of a definition as objects will be matched with them: what is no pattern there is none here. Each is read once,
 * wherever it stands. What the stored definition has already is not read: an earlier release may have asked for less, and whatever it
 * is must not keep anybody from changing the rest.
 */
export class PatternCheck {
  readonly #faults = new Map<string, string | undefined>();
  #left = MOST_STEPS;
  #stored: ReadonlySet<string> | undefined;

  /** @param olds the schemas of the stored definition; default of a new one */
  constructor(private readonly olds: readonly Json[] = []) {}

  /** Reads all patterns of a schema and of those in it, one in each step. */
  *steps(schema: Json): Iterable<void> {
    for (const each of allSchemas(schema)) {
      const pattern = textAt(each, 'pattern');
      if (this.#faults.has(pattern)) continue;
      this.faultOf(pattern);
      yield;
    }
  }

  /** What is wrong with a pattern in the words of the reference; undefined for nothing, and for none. */
  faultOf(pattern: string): string | undefined {
    if (pattern === '' || this.#isStored(pattern)) return undefined;
    if (this.#faults.has(pattern)) return this.#faults.get(pattern);
    const fault = this.#left < 0 ? TOO_MANY : this.#read(pattern);
    this.#faults.set(pattern, fault);
    return fault;
  }

  #isStored(pattern: string): boolean {
    this.#stored ??= new Set(
      this.olds.flatMap((schema) => [...allSchemas(schema)].map((each) => textAt(each, 'pattern'))),
    );
    return this.#stored.has(pattern);
  }

  #read(pattern: string): string | undefined {
    const { weight, compiled } = patternOf(pattern);
    this.#left -= weight;
    return typeof compiled === 'string' ? compiled : undefined;
  }
}
