import { type Client, hasReason } from '@orch/client';
import type { ApiObject, OwnerReference } from '@orch/machinery';
import { annotationOf, type PodAnnotations, uidOf } from '@orch/pod-environment';
import type { Pod } from '@orch/schema/types/core/v1';

/** Settings of {@link MirrorPods}. */
interface MirrorPodsSettings {
  /** Client of the API. */
  readonly client: Pick<Client, 'create' | 'delete'>;
  /** Annotations by which pods are recognized. */
  readonly annotations: PodAnnotations;
  /** Name of the node, which owns mirror pods. */
  readonly nodeName: string;
  /** Returns the uid of the Node; undefined while it is not registered. */
  readonly nodeUid: () => string | undefined;
}

const podsOf = (namespace: string) => ({ group: '', version: 'v1', resource: 'pods', namespace });

/** Mirror pods: the pods of the API that show static pods. */
export class MirrorPods {
  constructor(private readonly settings: MirrorPodsSettings) {}

  /**
   * Brings the mirror of a static pod into being: one that differs or is being deleted is deleted, a missing one is
   * created. Deleting it is no request to end the static pod.
   * @param mirror pod of the API with the static pod's full name, as far as it is known
   * @throws ApiError, TransportError
   */
  async ensure(pod: Pod, mirror: Pod | undefined): Promise<void> {
    if (pod.metadata?.deletionTimestamp !== undefined) return;
    if (mirror && this.#isOf(mirror, pod) && mirror.metadata?.deletionTimestamp === undefined) return;
    if (mirror && !(await this.delete(mirror))) return;
    await this.#create(pod);
  }

  /** Deletes a mirror pod at once. Returns whether it is gone, and not another one of its name. */
  async delete(mirror: Pod): Promise<boolean> {
    const { name = '', namespace = '' } = mirror.metadata ?? {};
    try {
      await this.settings.client.delete(podsOf(namespace), name, {
        gracePeriodSeconds: 0,
        preconditions: { uid: uidOf(mirror) },
      });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return true;
      if (hasReason(error, 'Conflict')) return false;
      throw error;
    }
  }

  /** Whether a mirror shows the pod in its present form. */
  #isOf(mirror: Pod, pod: Pod): boolean {
    const { annotations } = this.settings;
    return annotationOf(mirror, annotations.mirror) === annotationOf(pod, annotations.hash);
  }

  async #create(pod: Pod): Promise<void> {
    const { client, annotations } = this.settings;
    const { name, namespace = '', labels, annotations: own } = pod.metadata ?? {};
    const hash = annotationOf(pod, annotations.hash) ?? '';
    const mirror: ApiObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...(name !== undefined && { name }),
        namespace,
        ...(labels && { labels }),
        annotations: { ...own, [annotations.mirror]: hash },
        ownerReferences: [this.#owner()],
      },
      spec: pod.spec,
    };
    try {
      await client.create(podsOf(namespace), mirror);
    } catch (error) {
      // The informer has not seen it yet; the next synchronization compares it.
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
  }

  #owner(): OwnerReference {
    const uid = this.settings.nodeUid();
    if (uid === undefined) throw new Error('the node is not registered yet');
    return { apiVersion: 'v1', kind: 'Node', name: this.settings.nodeName, uid, controller: true };
  }
}
