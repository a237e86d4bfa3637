import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { declaredType } from '../schema-types/declared-type.js';
import type { Raw } from '../schema-types/native.js';
import { readerOf } from '../schema-types/reader.js';
import type { StructuralSchema } from '../schema-types/structural-schema.js';
import { parseExactly } from '../testing/vectors.js';
import { Failure } from '../values/value.js';
import { PER_CALL_LIMIT, RuleCompiler } from './compile.js';

/** What the reference said to a rule that was made at random. */
interface Answer {
  readonly rule: string;
  /** Which of the values it was run on. */
  readonly self: number;
  readonly error?: string;
  readonly maxCost?: string;
  readonly cost?: number;
  readonly failure?: string;
  readonly value?: boolean;
}

const [head = '', ...lines] = readFileSync(new URL('reference-answers.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const { schema, selves } = parseExactly(head) as { readonly schema: StructuralSchema; readonly selves: readonly Raw[] };
const answers = lines.map((line) => parseExactly(line) as Answer);
const declared = declaredType(schema, false);
if (!declared) throw new Error('no schema of an object');
const compiler = new RuleCompiler(declared);
const read = readerOf(schema);
/** Beyond it a static cost is mere saturation. */
const SATURATED = 10n ** 15n;

function answered({ rule, self }: Answer): Partial<Answer> {
  const { test } = compiler.compile({ rule });
  if (test?.program === undefined) return test?.error === undefined ? {} : { error: test.error };
  const { value, cost } = test.program.evaluate(new Map([['self', read(selves[self])]]), PER_CALL_LIMIT);
  const result = value instanceof Failure ? { failure: value.message } : { value: value as boolean };
  return { maxCost: String(test.maxCost), cost, ...result };
}

const comparable = ({ maxCost, ...rest }: Partial<Answer>): unknown =>
  maxCost === undefined ? rest : { ...rest, maxCost: BigInt(maxCost) > SATURATED ? 'saturated' : maxCost };

describe('rules made at random, as the reference answers them', () => {
  it.each(answers.map((answer) => [answer.rule, answer] as const))('%s', (_, answer) => {
    const { rule, self, ...wanted } = answer;
    expect(comparable(answered(answer))).toEqual(comparable(wanted));
  });
});
