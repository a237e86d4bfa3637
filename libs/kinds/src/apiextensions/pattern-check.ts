import { patternOf } from '@orch/schema';
import { type Json, textAt } from '../values/fields.js';
import { allSchemas } from './schema-walk.js';

/** Most steps of all patterns of one definition, which take about three quarters of a second to compile. */
const MOST_STEPS = 400_000;
const TOO_MANY = `the patterns of a definition take more than ${MOST_STEPS} steps`;

/**
 * Compiles the patterns of a definition with the engine that matches objects, so that a pattern invalid there is
 * invalid here. Each is compiled once. Patterns of the stored definition are not compiled: an earlier release may have
 * been less strict, and they must not prevent changes of the rest.
 */
export class PatternCheck {
  readonly #faults = new Map<string, string | undefined>();
  #left = MOST_STEPS;
  #stored: ReadonlySet<string> | undefined;

  /** @param olds schemas of the stored definition; default none */
  constructor(private readonly olds: readonly Json[] = []) {}

  /** Compiles all patterns of a schema and of those in it, one in each step. */
  *steps(schema: Json): Iterable<void> {
    for (const each of allSchemas(schema)) {
      const pattern = textAt(each, 'pattern');
      if (this.#faults.has(pattern)) continue;
      this.faultOf(pattern);
      yield;
    }
  }

  /** Returns the error of a pattern in the words of the reference; undefined for a valid or empty one. */
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
