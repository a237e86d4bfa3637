import { Client, type Connection, Informer, type ResourceRef } from '@orch/client';
import type { ApiObject, Names } from '@orch/machinery';
import type { Logger } from '@orch/runtime';
import type { SchedulerConfiguration } from '@orch/scheduler';
import {
  type FollowedResource,
  NAMESPACE,
  type SchedulerCluster,
  schedulerInformers,
  type WritingTerm,
} from './cluster.js';
import type { ApiRequests, ObjectRef } from './requests.js';

/** Settings of a {@link SchedulerCluster} over HTTP. */
interface ClientClusterSettings {
  /** Connection to the API. */
  readonly connection: Connection;
  /** Limits of requests. */
  readonly configuration: Pick<SchedulerConfiguration, 'clientConnection'>;
  /** Pods that are being bound at a time, each on a connection of its own. */
  readonly maxBindings: number;
  /** Names of the installation. */
  readonly names: Names;
  /** Reports resources that cannot be followed, which is tried again. */
  readonly logger: Logger;
}

/** Connections on which Events are written. */
const EVENT_CONNECTIONS = 16;
/** Pods that have ended free their nodes: they are as good as gone. */
const RUNNING = 'status.phase!=Succeeded,status.phase!=Failed';

/** The API over HTTP, with clients of their own for what must not wait for others. */
export function clientCluster(settings: ClientClusterSettings): SchedulerCluster {
  const { connection, configuration, maxBindings, names } = settings;
  const { qps, burst } = configuration.clientConnection;
  const clients: Client[] = [];
  const open = (more: Partial<ConstructorParameters<typeof Client>[1]>): Client => {
    const client = new Client(connection, { names, qps, burst, userAgent: 'kube-scheduler', ...more });
    clients.push(client);
    return client;
  };
  const reading = open({});
  const writing = open({ maxConnections: maxBindings });
  return {
    informers: informersOf(reading, settings),
    events: clientRequests(open({ maxConnections: EVENT_CONNECTIONS })),
    writes: (term) => clientRequests(writing, term),
    // Requests of the lease wait for no others, and not beyond its time.
    lease: (timeoutMs) => clientRequests(open({ qps: -1, timeoutMs, maxRetries: 0 })),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

function informersOf(client: Client, { names, logger }: ClientClusterSettings): SchedulerCluster['informers'] {
  const all: Informer<ApiObject>[] = [];
  const follow = ({ leavesOutEnded, ...ref }: FollowedResource) => {
    const informer = new Informer<ApiObject>(client, ref, {
      ...(leavesOutEnded && { fieldSelector: RUNNING }),
      indexers: { [NAMESPACE]: ({ metadata }) => [metadata?.namespace ?? ''] },
      onError: (error) =>
        logger.warn('a resource could not be followed', { resource: ref.resource, error: (error as Error).message }),
    });
    all.push(informer);
    return informer as never;
  };
  return {
    ...schedulerInformers(names, follow),
    async start() {
      for (const informer of all) informer.start();
      await Promise.all(all.map(({ synced }) => synced));
    },
    async stop() {
      await Promise.all(all.map((informer) => informer.stop()));
    },
  };
}

/** Makes requests over HTTP. @param term term in which anything is written; default: one without end */
export function clientRequests(client: Client, term?: WritingTerm): ApiRequests {
  /** Returns options of a write that is to be made now. */
  const write = (signal?: AbortSignal): { signal?: AbortSignal } => {
    if (!term) return signal ? { signal } : {};
    if (!term.goesOn) throw new Error('this process does not lead any more');
    return { signal: signal ? AbortSignal.any([signal, term.ended]) : term.ended };
  };
  return {
    get: (ref) => client.get(collectionOf(ref), ref.name),
    create: async (ref, object) => client.create(collectionOf(ref), object, {}, write()),
    replace: async (ref, object, signal) => client.update(collectionOf(ref), object, {}, write(signal)),
    async patch(ref, patch, subresource) {
      const options = { ...write(), ...(subresource !== undefined && { subresource }) };
      await client.patch(collectionOf(ref), ref.name, 'strategic', patch, {}, options);
    },
    async delete(ref, uid) {
      await client.delete(collectionOf(ref), ref.name, { preconditions: { uid } }, {}, write());
    },
    async bind(pod, binding) {
      await client.create(collectionOf(pod), binding, {}, { ...write(), name: pod.name, subresource: 'binding' });
    },
  };
}

const collectionOf = ({ name: _, namespace, ...ref }: ObjectRef): ResourceRef => ({
  ...ref,
  ...(namespace !== '' && { namespace }),
});
