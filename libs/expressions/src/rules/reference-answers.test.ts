import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BASE_ENVIRONMENT, type Environment, LATER_ENVIRONMENT } from '../environment.js';
import { declaredType } from '../schema-types/declared-type.js';
import type { Raw } from '../schema-types/native.js';
import { readerOf } from '../schema-types/reader.js';
import type { SchemaProps } from '../schema-types/structural-schema.js';
import { parseExactly } from '../testing/vectors.js';
import { Failure, type Value } from '../values/value.js';
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

/** Answers to rules on one schema. */
function answersIn(file: string, environment: Environment) {
  const [head = '', ...lines] = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const parsed = parseExactly(head) as { readonly schema: SchemaProps; readonly selves: readonly Raw[] };
  const declared = declaredType(parsed.schema, false);
  if (!declared) throw new Error('no schema of an object');
  const compiler = new RuleCompiler(declared, environment);
  const selves = parsed.selves.map(readerOf(parsed.schema));
  return { answers: lines.map((line) => parseExactly(line) as Answer), compiler, selves };
}

/** Beyond it a static cost is mere saturation. */
const SATURATED = 10n ** 15n;

function answered({ rule, self }: Answer, compiler: RuleCompiler, selves: readonly Value[]): Partial<Answer> {
  const { test } = compiler.compile({ rule });
  if (test?.program === undefined) return test?.error === undefined ? {} : { error: test.error };
  const { value, cost } = test.program.evaluate(new Map([['self', selves[self] as Value]]), PER_CALL_LIMIT);
  const result = value instanceof Failure ? { failure: value.message } : { value: value as boolean };
  return { maxCost: String(test.maxCost), cost, ...result };
}

const comparable = ({ maxCost, ...rest }: Partial<Answer>): unknown =>
  maxCost === undefined ? rest : { ...rest, maxCost: BigInt(maxCost) > SATURATED ? 'saturated' : maxCost };

describe.each([
  ['release 1.27', 'reference-answers.jsonl', BASE_ENVIRONMENT],
  ['release 1.33', 'later-answers.jsonl', LATER_ENVIRONMENT],
])('rules made at random, as %s answers them', (_, file, environment) => {
  const { answers, compiler, selves } = answersIn(file, environment);
  it.each(answers.map((answer) => [answer.rule, answer] as const))('%s', (_, answer) => {
    const { rule, self, ...wanted } = answer;
    expect(comparable(answered(answer, compiler, selves))).toEqual(comparable(wanted));
  });
});
