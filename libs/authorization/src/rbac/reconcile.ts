import { uncovered } from './covers.js';
import type { PolicyRule } from './policy-rule.js';
import type { RoleRef, RoleSelector, Subject } from './rbac-objects.js';

/** Metadata that are reconciled. */
interface Reconciled {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** A role that every installation should have. */
export interface ReconciledRole extends Reconciled {
  /** Absent is equivalent to an empty list. */
  readonly rules?: readonly PolicyRule[] | null;
  /** Selectors of an aggregated role; absent or null for others. */
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly RoleSelector[] } | null;
}

/** A binding that every installation should have. */
export interface ReconciledBinding extends Reconciled {
  /** The granted role. */
  readonly roleRef?: RoleRef;
  /** Users, groups and service accounts that it is granted to. */
  readonly subjects?: readonly Subject[] | null;
}

/** Whether its owner has disabled updates, by setting `annotation` to `false`. */
export const isProtected = ({ metadata }: Reconciled, annotation: string): boolean =>
  metadata?.annotations?.[annotation] === 'false';

/**
 * Returns a role with missing parts of the expected one added; whatever else it has stays, but for an unwanted
 * aggregation (component-helpers v0.27.16, auth/rbac/reconciliation). Undefined when nothing is missing.
 */
export function reconciledRole<R extends ReconciledRole>(existing: R, expected: ReconciledRole): R | undefined {
  const missing = uncovered(existing.rules ?? [], expected.rules ?? []);
  const selectors = missingSelectors(existing, expected);
  const unwanted = Boolean(existing.aggregationRule) && !expected.aggregationRule;
  const metadata = mergedMetadata(existing, expected);
  if (missing.length === 0 && selectors.length === 0 && !unwanted && !metadata) return undefined;
  const { aggregationRule, ...rest } = existing;
  return {
    ...rest,
    ...(!unwanted && aggregationRule && { aggregationRule }),
    ...(metadata && { metadata }),
    ...(missing.length > 0 && { rules: [...(existing.rules ?? []), ...missing] }),
    ...(selectors.length > 0 && {
      aggregationRule: {
        ...aggregationRule,
        clusterRoleSelectors: [...(aggregationRule?.clusterRoleSelectors ?? []), ...selectors],
      },
    }),
  } as unknown as R;
}

function missingSelectors(existing: ReconciledRole, expected: ReconciledRole): readonly RoleSelector[] {
  const known = new Set((existing.aggregationRule?.clusterRoleSelectors ?? []).map(canonical));
  return (expected.aggregationRule?.clusterRoleSelectors ?? []).filter((selector) => !known.has(canonical(selector)));
}

/** How to reconcile a binding: leave it, update it, or recreate it, as the role of a binding is immutable. */
export type BindingStep<B> =
  | { readonly act: 'none' }
  | { readonly act: 'update'; readonly binding: B }
  | { readonly act: 'recreate' };

/** Returns a binding with missing subjects added; further ones are kept. */
export function reconciledBinding<B extends ReconciledBinding>(
  existing: B,
  expected: ReconciledBinding,
): BindingStep<B> {
  if (canonical(existing.roleRef) !== canonical(expected.roleRef)) return { act: 'recreate' };
  const metadata = mergedMetadata(existing, expected);
  const known = new Set((existing.subjects ?? []).map(canonical));
  const missing = (expected.subjects ?? []).filter((subject) => !known.has(canonical(subject)));
  if (missing.length === 0 && !metadata) return { act: 'none' };
  const binding = {
    ...existing,
    ...(metadata && { metadata }),
    ...(missing.length > 0 && { subjects: [...(existing.subjects ?? []), ...missing] }),
  };
  return { act: 'update', binding };
}

/** Merges wanted labels and annotations under the existing ones; undefined if none is missing. */
function mergedMetadata(existing: Reconciled, expected: Reconciled): Reconciled['metadata'] | undefined {
  const missing = (['labels', 'annotations'] as const).filter((kind) => {
    const known = existing.metadata?.[kind] ?? {};
    return Object.keys(expected.metadata?.[kind] ?? {}).some((key) => !Object.hasOwn(known, key));
  });
  if (missing.length === 0) return undefined;
  const merged = missing.map((kind) => [kind, { ...expected.metadata?.[kind], ...existing.metadata?.[kind] }]);
  return { ...existing.metadata, ...Object.fromEntries(merged) };
}

/** Text that is equal for equal values in any order of members; absent and empty members are equal. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const members = Object.entries(each).filter(([, member]) => member !== '' && member !== null);
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
