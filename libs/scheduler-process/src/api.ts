import { type Client, hasReason, type ResourceRef } from '@orch/client';
import type { LeaseClient, LeaseObject } from '@orch/controllers';
import { type ApiObject, formatApiVersion, type Names } from '@orch/machinery';
import type { PodRef, SchedulerApi, SeriesSink } from '@orch/scheduler';
import type { VolumeWriter } from '@orch/scheduler-plugins';
import type { Event } from '@orch/schema/types/events/v1';

const pods = (namespace: string): ResourceRef => ({ group: '', version: 'v1', resource: 'pods', namespace });

/**
 * Writes of a scheduler over HTTP. @param mayWrite whether the process still leads: nothing is written otherwise
 */
export function clientApi(client: Client, mayWrite: () => boolean): SchedulerApi {
  const check = () => {
    if (!mayWrite()) throw new Error('this process does not lead any more');
  };
  return {
    async bind({ namespace, name, uid }: PodRef, node) {
      check();
      const binding = {
        ...{ apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name, uid } },
        target: { kind: 'Node', name: node },
      };
      await client.create(pods(namespace), binding, {}, { name, subresource: 'binding' });
    },
    async patchStatus({ namespace, name, uid }: PodRef, status) {
      check();
      // With the uid the patch is for this pod alone, and not for a later one of its name.
      const patch = { metadata: { uid }, status };
      await unlessGone(client.patch(pods(namespace), name, 'strategic', patch, {}, { subresource: 'status' }));
    },
    async deletePod({ namespace, name, uid }: PodRef) {
      check();
      await unlessGone(client.delete(pods(namespace), name, { preconditions: { uid } }));
    },
  };
}

/** Waits for a write of a pod with a certain uid. @throws ApiError that does not say that there is no such pod any more */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!hasReason(error, 'NotFound', 'Conflict')) throw error;
  }
}

/** Writes of volumes and claims over HTTP. */
export function clientVolumes(client: Client, mayWrite: () => boolean): VolumeWriter {
  const update = async <T extends ApiObject>(resource: string, object: T, signal: AbortSignal): Promise<T> => {
    if (!mayWrite()) throw new Error('this process does not lead any more');
    const { namespace } = object.metadata ?? {};
    const ref = { group: '', version: 'v1', resource, ...(namespace !== undefined && { namespace }) };
    return client.update<T>(ref, object, {}, { signal });
  };
  return {
    updateVolume: (volume, signal) =>
      update('persistentvolumes', volume as ApiObject, signal) as Promise<typeof volume>,
    updateClaim: (claim, signal) =>
      update('persistentvolumeclaims', claim as ApiObject, signal) as Promise<typeof claim>,
  };
}

/** Writes Events over HTTP. */
export function clientEvents(client: Client, names: Names): SeriesSink {
  const group = names.group('events.orch.io');
  const apiVersion = formatApiVersion({ group, version: 'v1' });
  const ref = ({ metadata }: Event): ResourceRef => {
    return { group, version: 'v1', resource: 'events', namespace: metadata?.namespace ?? '' };
  };
  return {
    async create(event) {
      return (await client.create(ref(event), { ...event, apiVersion } as ApiObject)) as Event;
    },
    async setSeries(event, series) {
      await client.patch(ref(event), event.metadata?.name ?? '', 'strategic', { series });
    },
  };
}

/** Reads and writes one Lease over HTTP. */
export function clientLease(client: Client, names: Names, namespace: string, name: string): LeaseClient {
  const group = names.group('coordination.orch.io');
  const ref = { group, version: 'v1', resource: 'leases', namespace };
  const object = (lease: LeaseObject): ApiObject => ({
    ...lease,
    ...{ apiVersion: formatApiVersion({ group, version: 'v1' }), kind: 'Lease' },
  });
  const unlessOvertaken = async (write: Promise<unknown>): Promise<boolean> => {
    try {
      await write;
      return true;
    } catch (error) {
      if (hasReason(error, 'AlreadyExists', 'Conflict')) return false;
      throw error;
    }
  };
  return {
    async get() {
      try {
        return (await client.get(ref, name)) as LeaseObject;
      } catch (error) {
        if (hasReason(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    create: (lease) => unlessOvertaken(client.create(ref, object(lease))),
    update: (lease) => unlessOvertaken(client.update(ref, object(lease))),
  };
}
