import { type ApiObject, type Names, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type Clock, sleep, systemClock } from '@orch/runtime';
import { UnreadableBodyError } from '@orch/storage';
import { ensureOwn, type OwnCreations } from '@orch/writing';
import { SYSTEM_NAMESPACES } from './system-namespaces.js';

/** Options of the objects that every installation has. */
export interface BootstrapOptions extends OwnCreations {
  /** Names of the installation. */
  readonly names: Names;
  /** Endpoint of Services; undefined if they are not served. */
  readonly services: Endpoint | undefined;
  /** Cluster IP of the Service of the API. */
  readonly serviceAddress: string;
  /** Port that the API listens on. */
  readonly securePort: number;
  /** Endpoint of priority classes; undefined if no plugin uses them. */
  readonly priorityClasses: Endpoint | undefined;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
}

/**
 * Time that another server may take to create the Service once it has claimed the address, and the interval of retries,
 * ms.
 */
const OTHERS_MS = 10_000;
const LOOK_MS = 100;

/** Creates the namespaces that every installation has. */
export async function makeNamespaces(options: OwnCreations & { readonly namespaces: Endpoint }): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) await ensureThere(options, options.namespaces, { metadata: { name } });
}

/**
 * Creates an object if it does not exist. An unreadable object exists too, and must not prevent a server from starting.
 * @throws StatusError, StoreUnavailableError
 */
async function ensureThere(options: OwnCreations, endpoint: Endpoint, object: ApiObject): Promise<void> {
  try {
    await ensureOwn(options, endpoint, object);
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
  }
}

/** Priority classes of essential pods. */
const SYSTEM_CLASSES: readonly ApiObject[] = [
  {
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'For pods that their node cannot do without.',
  },
  {
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description: 'For pods that the cluster cannot do without, on whichever node they run.',
  },
];

/**
 * Creates the other objects that every installation has: the Service of the API, and the priority classes of the
 * system.
 */
export async function bootstrap(options: BootstrapOptions): Promise<void> {
  if (options.services) await ensureService(options, options.services);
  if (options.priorityClasses)
    for (const each of SYSTEM_CLASSES) await ensureThere(options, options.priorityClasses, each);
}

/**
 * Creates the Service. If several servers start on an empty database, another one may have claimed the address before
 * its Service is visible; this is retried.
 */
async function ensureService(options: BootstrapOptions, services: Endpoint): Promise<void> {
  const { clock = systemClock } = options;
  for (let waited = 0; ; waited += LOOK_MS) {
    try {
      return await ensureThere(options, services, apiService(options));
    } catch (error) {
      const isTaken = error instanceof StatusError && error.status.reason === 'Invalid';
      if (!isTaken || waited >= OTHERS_MS) throw error;
    }
    await sleep(clock, LOOK_MS);
  }
}

function apiService({ names, serviceAddress, securePort }: BootstrapOptions): ApiObject {
  const name = names.apiServiceName;
  return {
    metadata: { name, namespace: 'default', labels: { component: 'apiserver', provider: name } },
    spec: {
      type: 'ClusterIP',
      clusterIP: serviceAddress,
      clusterIPs: [serviceAddress],
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: securePort }],
      sessionAffinity: 'None',
    },
  };
}
