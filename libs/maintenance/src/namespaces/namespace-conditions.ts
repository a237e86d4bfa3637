import { type ApiObject, formatTime } from '@orch/machinery';
import type { Remainder } from './namespace-contents.js';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

type Finding = Omit<Condition, 'lastTransitionTime'>;

/**
 * Writes into `status.conditions` why a namespace that is being deleted still exists; conditions that say so already
 * are kept.
 * @returns whether they have changed
 */
export function reportRemainders(namespace: ApiObject, remainders: readonly Remainder[], now: number): boolean {
  namespace.status ??= {};
  const status = namespace.status as { conditions?: Condition[] };
  const conditions = status.conditions ?? [];
  let isChanged = false;
  for (const finding of findings(remainders)) {
    const at = conditions.findIndex(({ type }) => type === finding.type);
    const before = conditions[at];
    if (before && saysSame(before, finding)) continue;
    const since = before?.status === finding.status ? before.lastTransitionTime : formatTime(now);
    const condition = { ...finding, lastTransitionTime: since };
    isChanged = true;
    if (at < 0) conditions.push(condition);
    else conditions[at] = condition;
  }
  status.conditions = conditions;
  return isChanged;
}

const saysSame = (a: Finding, b: Finding): boolean =>
  a.status === b.status && a.reason === b.reason && a.message === b.message;

/** Here nothing is emptied before it is known which types there are. */
const READ: readonly Finding[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
];

function findings(remainders: readonly Remainder[]): Finding[] {
  const failed = remainders.filter((one) => one.failure !== undefined);
  const kept = remainders.filter(({ objects }) => objects > 0);
  const finalizers = new Map<string, number>();
  for (const { finalizers: some } of kept) {
    for (const [name, count] of some) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  return [
    ...READ,
    finding('NamespaceDeletionContentFailure', failed, 'ContentDeletionFailed', 'ContentDeleted', [
      'Failed to delete all resource types, these remain: ',
      'All content successfully deleted, may be waiting on finalization',
      failed.map((one) => `${nameOf(one)}: ${messageOf(one.failure)}`),
    ]),
    finding('NamespaceContentRemaining', kept, 'SomeResourcesRemain', 'ContentRemoved', [
      'Some resources are remaining: ',
      'All content successfully removed',
      kept.map((one) => `${nameOf(one)} has ${one.objects} resource instances`),
    ]),
    finding('NamespaceFinalizersRemaining', [...finalizers], 'SomeFinalizersRemain', 'ContentHasNoFinalizers', [
      'Some content in the namespace has finalizers remaining: ',
      'All content-preserving finalizers finished',
      [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`),
    ]),
  ];
}

function finding(
  type: string,
  found: readonly unknown[],
  reason: string,
  otherwise: string,
  [message, fine, parts]: [string, string, string[]],
): Finding {
  if (found.length === 0) return { type, status: 'False', reason: otherwise, message: fine };
  return { type, status: 'True', reason, message: message + parts.sort().join(', ') };
}

const nameOf = ({ endpoint: { definition } }: Remainder): string => `${definition.resource}.${definition.group}`;
const messageOf = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));
