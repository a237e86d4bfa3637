import type { LocalApi } from '@orch/apiserver';
import type { Names } from '@orch/machinery';
import type { Logger } from '@orch/runtime';
import { type FollowedResource, NAMESPACE, type SchedulerCluster, schedulerInformers } from '@orch/scheduler-process';

/** Phases of pods that have ended: they free their nodes. */
const ENDED: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed']);

/** The part of a pod that tells whether it has ended. */
interface Phased {
  readonly status?: { readonly phase?: string };
}

/** The API of this process as its scheduler has it: from the store, and through the pipeline of writes. */
export function localCluster(api: LocalApi, names: Names, logger: Logger): SchedulerCluster {
  return {
    informers: informersOf(api, names, logger),
    events: api.requests(),
    writes: (term) => api.requests({ term }),
    lease: (timeoutMs) => api.requests({ timeoutMs, maxRetries: 0 }),
    close: async () => undefined,
  };
}

function informersOf(api: LocalApi, names: Names, logger: Logger): SchedulerCluster['informers'] {
  const all: ReturnType<LocalApi['informer']>[] = [];
  const follow = ({ leavesOutEnded, ...resource }: FollowedResource) => {
    const informer = api.informer(resource, {
      indexers: { [NAMESPACE]: ({ metadata }) => [metadata?.namespace ?? ''] },
      ...(leavesOutEnded && { leavesOut: (object: object) => ENDED.has((object as Phased).status?.phase) }),
      onError: (error) =>
        logger.warn('a resource could not be followed', {
          ...{ resource: resource.resource, error: error instanceof Error ? error.message : String(error) },
        }),
    });
    all.push(informer);
    return informer as never;
  };
  return {
    ...schedulerInformers(names, follow),
    async start() {
      await Promise.all(all.map((informer) => informer.start()));
    },
    async stop() {
      await Promise.all(all.map((informer) => informer.stop()));
    },
  };
}
