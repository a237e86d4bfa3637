import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakdown, uncovered } from './covers.js';
import type { PolicyRule } from './policy-rule.js';
import {
  isProtected,
  type ReconciledBinding,
  type ReconciledRole,
  reconciledBinding,
  reconciledRole,
} from './reconcile.js';

interface Vector {
  readonly id: string;
  readonly op: string;
  readonly [member: string]: unknown;
}

/** What the reference's own functions answered (component-helpers v0.27.16). */
const VECTORS: readonly Vector[] = readFileSync(new URL('rbac-vectors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

const of = (op: string) => VECTORS.filter((vector) => vector.op === op).map((vector) => [vector.id, vector] as const);
/** Only clients (`kubectl auth reconcile`) create, and remove what is more. */
const additive = (op: string) =>
  of(op).filter(([, { removeExtra, operation }]) => !removeExtra && operation !== 'create');

describe('the reference', () => {
  it.each(of('covers'))('%s', (_id, { owner, servant, covers, uncovered: expected = [] }) => {
    const left = uncovered(owner as PolicyRule[], servant as PolicyRule[]);
    expect(left).toEqual(expected);
    expect(left.length === 0).toBe(covers);
  });

  it.each(of('breakdown'))('%s', (_id, { rule, rules }) => {
    expect(breakdown(rule as PolicyRule)).toEqual(rules ?? []);
  });

  it.each(additive('reconcile-role'))('%s', (_id, { existing, expected, operation, protected: kept, result }) => {
    const role = existing as ReconciledRole;
    const made = reconciledRole(role, expected as ReconciledRole);
    expect(isProtected(role, 'rbac.authorization.kubernetes.io/autoupdate')).toBe(kept);
    expect(made ? 'update' : 'none').toBe(operation);
    const { metadata, ...rest } = made ?? role;
    expect({ ...metadata, ...rest }).toEqual(result);
  });

  it.each(additive('reconcile-binding'))('%s', (_id, { existing, expected, operation, protected: kept, result }) => {
    const step = reconciledBinding(existing as ReconciledBinding, expected as ReconciledBinding);
    expect(isProtected(existing as ReconciledBinding, 'rbac.authorization.kubernetes.io/autoupdate')).toBe(kept);
    expect(step.act).toBe(operation);
    if (step.act === 'update') expect(step.binding).toMatchObject({ subjects: (result as ReconciledBinding).subjects });
  });
});
