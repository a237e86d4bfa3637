import { isDeepStrictEqual } from 'node:util';
import { formatMicroTime } from '@orch/machinery';
import { fullNameOf, isMirrorPod, type PodAnnotations, type PodSource, uidOf } from '@orch/pod-environment';
import type { Clock } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';

/**
 * A change of the desired pods. `reconcile`: only the status differs, as the API has it. `remove`: the source does not
 * have the pod any more.
 */
export interface PodChange {
  /** Kind of the change. */
  readonly op: 'add' | 'update' | 'delete' | 'remove' | 'reconcile';
  /** The pod, as its source has it now or had it last. */
  readonly pod: Pod;
}

/** Settings of {@link DesiredPods}. */
interface DesiredPodsSettings {
  /** Sources that there are. */
  readonly sources: readonly PodSource[];
  /** Annotations by which pods are recognized. */
  readonly annotations: PodAnnotations;
  /** Called with each change, in order. */
  readonly onChange: (change: PodChange) => void;
  /** Called with a pod that has the full name or the uid of another one of its source, and is ignored. */
  readonly onDuplicate: (pod: Pod) => void;
  /** Clock of the annotation with the time at which a pod was first seen. */
  readonly clock: Clock;
}

/** The pods that should run, of all sources, by source and uid. */
export class DesiredPods {
  readonly #pods = new Map<PodSource, ReadonlyMap<string, Pod>>();
  readonly #mirrors = new Map<string, Pod>();

  constructor(private readonly settings: DesiredPodsSettings) {}

  /** Whether every source has delivered its pods once: only then is a pod that none has known to be unwanted. */
  get hasSeenAll(): boolean {
    return this.settings.sources.every((source) => this.#pods.has(source));
  }

  /** Returns the pod of a uid; undefined if no source has it. Mirror pods are not among them. */
  get(uid: string): Pod | undefined {
    for (const pods of this.#pods.values()) {
      const pod = pods.get(uid);
      if (pod) return isMirrorPod(pod, this.settings.annotations) ? undefined : pod;
    }
    return undefined;
  }

  /** Returns all pods but mirror pods. */
  *list(): Generator<Pod> {
    for (const pods of this.#pods.values())
      for (const pod of pods.values()) if (!isMirrorPod(pod, this.settings.annotations)) yield pod;
  }

  /** Returns the mirror pod of a static pod's full name. */
  mirrorOf(fullName: string): Pod | undefined {
    return this.#mirrors.get(fullName);
  }

  /** Returns all mirror pods. */
  mirrors(): Iterable<Pod> {
    return this.#mirrors.values();
  }

  /** Replaces the pods of a source. */
  set(source: PodSource, pods: Iterable<Pod>): void {
    const before = this.#pods.get(source) ?? new Map<string, Pod>();
    const now = new Map<string, Pod>();
    const changes: PodChange[] = [];
    for (const pod of this.#unique(pods)) {
      const uid = uidOf(pod);
      const known = before.get(uid);
      const prepared = this.#prepared(source, pod, known);
      now.set(uid, prepared);
      const op = known ? changeOf(known, prepared) : 'add';
      if (op) changes.push({ op, pod: prepared });
    }
    const removed = [...before].filter(([uid]) => !now.has(uid)).map(([, pod]) => ({ op: 'remove' as const, pod }));
    this.#pods.set(source, now);
    this.#indexMirrors();
    for (const change of [...removed, ...changes]) this.settings.onChange(change);
  }

  /** Drops pods with the full name or the uid of one before them. */
  *#unique(pods: Iterable<Pod>): Generator<Pod> {
    const [names, uids] = [new Set<string>(), new Set<string>()];
    for (const pod of pods) {
      const [name, uid] = [fullNameOf(pod), uidOf(pod)];
      if (names.has(name) || uids.has(uid)) this.settings.onDuplicate(pod);
      else yield pod;
      names.add(name);
      uids.add(uid);
    }
  }

  #prepared(source: PodSource, pod: Pod, known: Pod | undefined): Pod {
    const { annotations: keys, clock } = this.settings;
    const seen = known?.metadata?.annotations?.[keys.seen] ?? formatMicroTime(clock.wall());
    const annotations = { ...pod.metadata?.annotations, [keys.source]: source, [keys.seen]: seen };
    return { ...pod, metadata: { ...pod.metadata, annotations } };
  }

  #indexMirrors(): void {
    this.#mirrors.clear();
    for (const pod of this.#pods.get('api')?.values() ?? [])
      if (isMirrorPod(pod, this.settings.annotations)) this.#mirrors.set(fullNameOf(pod), pod);
  }
}

/** Returns the change between two states of a pod; undefined if nothing differs. */
function changeOf(before: Pod, after: Pod): PodChange['op'] | undefined {
  const deleted = after.metadata?.deletionTimestamp !== undefined;
  if (!isDeepStrictEqual(desiredPart(before), desiredPart(after))) return deleted ? 'delete' : 'update';
  return isDeepStrictEqual(before.status, after.status) ? undefined : 'reconcile';
}

const desiredPart = ({ metadata, spec }: Pod) => ({
  spec,
  labels: metadata?.labels,
  annotations: metadata?.annotations,
  deletionTimestamp: metadata?.deletionTimestamp,
  grace: metadata?.deletionGracePeriodSeconds,
});
