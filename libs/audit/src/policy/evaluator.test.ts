import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type AuditedRequest, PolicyEvaluator } from './evaluator.js';
import { type Policy, validatePolicy } from './policy.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const file = join(process.env.ORCH_SHARED ?? join(root, '../shared'), 'facts/audit-vectors.jsonl');

interface Vector {
  readonly id: string;
  readonly policy: Policy;
  readonly attributes: Partial<AuditedRequest> & { readonly user: string; readonly groups: readonly string[] };
  readonly level: string;
  readonly omitStages: readonly string[];
  readonly omitManagedFields: boolean;
  readonly policyErrors?: readonly { readonly type: string; readonly field: string; readonly detail: string }[];
}

const vectors: Vector[] = existsSync(file)
  ? readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Vector)
  : [];

const NOTHING: AuditedRequest = {
  verb: '',
  isResourceRequest: false,
  path: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

describe.skipIf(vectors.length === 0)('the reference judges', () => {
  it.each(vectors.map((vector) => [vector.id, vector] as const))('%s', (_id, vector) => {
    const { user, groups, ...attributes } = vector.attributes;
    const request = { ...NOTHING, isResourceRequest: attributes.path === undefined, ...attributes };
    const config = new PolicyEvaluator(vector.policy).evaluate({ name: user, groups }, request);
    expect(config.level).toBe(vector.level);
    expect([...config.omitStages].sort()).toEqual([...vector.omitStages].sort());
    expect(config.omitManagedFields).toBe(vector.omitManagedFields);
    const errors = validatePolicy(vector.policy).map(({ field, reason, message }) => ({ field, reason, message }));
    expect(errors).toEqual(
      (vector.policyErrors ?? []).map(({ type, field, detail }) => ({
        field,
        reason: type,
        message: detail === '' ? 'Required value' : expect.stringContaining(detail),
      })),
    );
  });
});

it('needs a user for rules about users', () => {
  const evaluator = new PolicyEvaluator({
    rules: [{ level: 'None', users: ['a'] }, { level: 'Request', userGroups: ['g'] }, { level: 'Metadata' }],
  });
  expect(evaluator.evaluate(undefined, NOTHING).level).toBe('Metadata');
});
