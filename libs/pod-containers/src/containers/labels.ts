import { createHash } from 'node:crypto';
import { isObject, type Json } from '@orch/machinery';
import { type PodContainer, uidOf } from '@orch/pod-environment';
import type { LifecycleHandler, Pod } from '@orch/schema/types/core/v1';

/** Labels and annotations by which the runtime's sandboxes and containers are recognized, as tools know them. */
const KEY = {
  podName: 'io.kubernetes.pod.name',
  podNamespace: 'io.kubernetes.pod.namespace',
  podUid: 'io.kubernetes.pod.uid',
  container: 'io.kubernetes.container.name',
  hash: 'io.kubernetes.container.hash',
  restartCount: 'io.kubernetes.container.restartCount',
  messagePath: 'io.kubernetes.container.terminationMessagePath',
  messagePolicy: 'io.kubernetes.container.terminationMessagePolicy',
  preStop: 'io.kubernetes.container.preStopHandler',
  deletionGrace: 'io.kubernetes.pod.deletionGracePeriod',
  terminationGrace: 'io.kubernetes.pod.terminationGracePeriod',
} as const;

type Texts = Readonly<Record<string, string>>;

/** Identity of the pod that a sandbox or container belongs to. */
export interface PodIdentity {
  /** Uid of the pod. */
  readonly uid: string;
  /** Name of the pod. */
  readonly name: string;
  /** Namespace of the pod. */
  readonly namespace: string;
}

/** Returns the labels of a pod's sandbox: those of the pod, and its identity. */
export function sandboxLabels(pod: Pod): Record<string, string> {
  const { name = '', namespace = '', labels } = pod.metadata ?? {};
  return { ...labels, [KEY.podName]: name, [KEY.podNamespace]: namespace, [KEY.podUid]: uidOf(pod) };
}

/** Returns the labels of a container. */
export function containerLabels(pod: Pod, { name = '' }: PodContainer): Record<string, string> {
  const { name: podName = '', namespace = '' } = pod.metadata ?? {};
  return {
    [KEY.podName]: podName,
    [KEY.podNamespace]: namespace,
    [KEY.podUid]: uidOf(pod),
    [KEY.container]: name,
  };
}

/** Returns the annotations of a container: what a restarted agent has to know of it. */
export function containerAnnotations(pod: Pod, container: PodContainer, restartCount: number): Record<string, string> {
  const { deletionGracePeriodSeconds: deletion } = pod.metadata ?? {};
  const { terminationGracePeriodSeconds: termination } = pod.spec ?? {};
  const preStop = container.lifecycle?.preStop;
  return {
    [KEY.hash]: specHash(container),
    [KEY.restartCount]: String(restartCount),
    [KEY.messagePath]: container.terminationMessagePath ?? '',
    [KEY.messagePolicy]: container.terminationMessagePolicy ?? 'File',
    ...(preStop && { [KEY.preStop]: JSON.stringify(preStop) }),
    ...(deletion !== undefined && { [KEY.deletionGrace]: String(deletion) }),
    ...(termination !== undefined && { [KEY.terminationGrace]: String(termination) }),
  };
}

/** Returns the labels that everything of a pod has in the runtime. */
export const labelsOfUid = (uid: string): Record<string, string> => ({ [KEY.podUid]: uid });

/** Returns the pod that labels name; undefined for a sandbox or container of somebody else. */
export function podOfLabels(labels: Texts): PodIdentity | undefined {
  const [uid, name, namespace] = [labels[KEY.podUid], labels[KEY.podName], labels[KEY.podNamespace]];
  return uid && name && namespace ? { uid, name, namespace } : undefined;
}

/** Facts of a container that its labels and annotations hold. */
export interface ContainerFacts {
  /** Name in the pod's spec. */
  readonly name: string;
  /** Hash of the spec; empty if there is none. */
  readonly hash: string;
  /** Number of runs before it. */
  readonly restartCount: number;
  /** Path of the termination message in the container; empty for none. */
  readonly messagePath: string;
  /** Whether the end of the log stands in for a missing message of a failed container. */
  readonly usesLog: boolean;
  /** Hook before the end. */
  readonly preStop?: LifecycleHandler;
  /** Grace period of the pod when the container was made, seconds. */
  readonly graceSeconds?: number;
}

/** Reads the facts of a container; undefined for one of somebody else. */
export function factsOf(labels: Texts, annotations: Texts): ContainerFacts | undefined {
  const name = labels[KEY.container];
  if (!name || !podOfLabels(labels)) return undefined;
  const preStop = parsedHandler(annotations[KEY.preStop]);
  const grace = annotations[KEY.deletionGrace] ?? annotations[KEY.terminationGrace];
  return {
    name,
    hash: annotations[KEY.hash] ?? '',
    restartCount: Number(annotations[KEY.restartCount] ?? 0),
    messagePath: annotations[KEY.messagePath] ?? '',
    usesLog: annotations[KEY.messagePolicy] === 'FallbackToLogsOnError',
    ...(preStop && { preStop }),
    ...(grace !== undefined && { graceSeconds: Number(grace) }),
  };
}

function parsedHandler(text: string | undefined): LifecycleHandler | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LifecycleHandler;
  } catch {
    return undefined;
  }
}

/** Returns the hash of a container's spec, by which a changed one is noticed. */
export const specHash = (container: PodContainer): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(container)))
    .digest('hex')
    .slice(0, 8);

/** Members in the order of their names, so that equal objects are equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return typeof value === 'bigint' ? String(value) : value;
  const members: Json = value;
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((name) => [name, sorted(members[name])]),
  );
}
