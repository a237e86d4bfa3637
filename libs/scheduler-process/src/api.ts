import type { LeaseClient, LeaseObject } from '@orch/controllers';
import { type ApiObject, formatApiVersion, type Names, type Status } from '@orch/machinery';
import type { PodRef, SchedulerApi, SeriesSink } from '@orch/scheduler';
import type { VolumeWriter } from '@orch/scheduler-plugins';
import type { Event } from '@orch/schema/types/events/v1';
import type { LeaseName } from './cluster.js';
import { type ApiRequests, isRefused, type ObjectRef } from './requests.js';

const core = (resource: string, namespace: string, name: string): ObjectRef => ({
  ...{ group: '', version: 'v1', resource, namespace, name },
});

/** Returns the writes of pods. */
export function podWrites(requests: ApiRequests): SchedulerApi {
  return {
    async bind({ namespace, name, uid }: PodRef, node) {
      const binding = {
        ...{ apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name, uid } },
        target: { kind: 'Node', name: node },
      };
      await requests.bind(core('pods', namespace, name), binding);
    },
    async patchStatus({ namespace, name, uid }: PodRef, status) {
      // With the uid the patch is for this pod alone, and not for a later one of its name.
      const patch = { metadata: { uid }, status };
      await unlessGone(requests.patch(core('pods', namespace, name), patch, 'status'));
    },
    async deletePod({ namespace, name, uid }: PodRef) {
      await unlessGone(requests.delete(core('pods', namespace, name), uid));
    },
  };
}

/** Waits for a write of a pod with a certain uid. @throws what does not say that there is no such pod any more */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isRefused(error, 'NotFound', 'Conflict') && !isOfAnotherUid(error)) throw error;
  }
}

/** Whether a patch was refused because the object of its name has another uid, which a patch cannot change. */
function isOfAnotherUid(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: Status };
  return isRefused(error, 'Invalid') && status?.details?.causes?.some(({ field }) => field === 'metadata.uid') === true;
}

/** Returns the writes of volumes and claims. */
export function volumeWrites(requests: ApiRequests): VolumeWriter {
  const replace = async <T extends object>(resource: string, object: T, signal: AbortSignal): Promise<T> => {
    const { namespace = '', name = '' } = (object as ApiObject).metadata ?? {};
    return (await requests.replace(core(resource, namespace, name), object as ApiObject, signal)) as T;
  };
  return {
    updateVolume: (volume, signal) => replace('persistentvolumes', volume, signal),
    updateClaim: (claim, signal) => replace('persistentvolumeclaims', claim, signal),
  };
}

/** Returns what writes Events. */
export function eventSink(requests: ApiRequests, names: Names): SeriesSink {
  const group = names.group('events.orch.io');
  const apiVersion = formatApiVersion({ group, version: 'v1' });
  const ref = ({ metadata: { namespace = '', name = '' } = {} }: Event): ObjectRef => {
    return { group, version: 'v1', resource: 'events', namespace, name };
  };
  return {
    async create(event) {
      return (await requests.create(ref(event), { ...event, apiVersion } as ApiObject)) as Event;
    },
    async setSeries(event, series) {
      await requests.patch(ref(event), { series });
    },
  };
}

/** Returns what reads and writes one Lease. */
export function leaseClient(requests: ApiRequests, names: Names, { namespace, name }: LeaseName): LeaseClient {
  const group = names.group('coordination.orch.io');
  const ref = { group, version: 'v1', resource: 'leases', namespace, name };
  const object = (lease: LeaseObject): ApiObject => ({
    ...lease,
    ...{ apiVersion: formatApiVersion({ group, version: 'v1' }), kind: 'Lease' },
  });
  const unlessOvertaken = async (write: Promise<unknown>): Promise<boolean> => {
    try {
      await write;
      return true;
    } catch (error) {
      if (isRefused(error, 'AlreadyExists', 'Conflict')) return false;
      throw error;
    }
  };
  return {
    async get() {
      try {
        return (await requests.get(ref)) as LeaseObject;
      } catch (error) {
        if (isRefused(error, 'NotFound')) return undefined;
        throw error;
      }
    },
    create: (lease) => unlessOvertaken(requests.create(ref, object(lease))),
    update: (lease) => unlessOvertaken(requests.replace(ref, object(lease))),
  };
}
