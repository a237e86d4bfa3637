import { type ApiObject, type Names, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type Clock, sleep, systemClock } from '@orch/runtime';
import { UnreadableBodyError } from '@orch/storage';
import { ensureOwn, type OwnCreations } from '@orch/writing';
import { SYSTEM_NAMESPACES } from './system-namespaces.js';

export interface BootstrapOptions extends OwnCreations {
  readonly names: Names;
  /** Undefined where they are not served. */
  readonly services: Endpoint | undefined;
  /** Address of the Service that stands for the API. */
  readonly serviceAddress: string;
  readonly securePort: number;
  /** Undefined where nobody looks at them. */
  readonly priorityClasses: Endpoint | undefined;
  readonly clock?: Clock;
}

/** How long another server may take to make the Service once it holds its address, and how often that is looked at, ms. */
const OTHERS_MS = 10_000;
const LOOK_MS = 100;

/** Makes the namespaces that every installation has. */
export async function makeNamespaces(options: OwnCreations & { readonly namespaces: Endpoint }): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) await ensureThere(options, options.namespaces, { metadata: { name } });
}

/** What cannot be opened is there all the same, and must not keep a server from starting. @throws StatusError, StoreUnavailableError */
async function ensureThere(options: OwnCreations, endpoint: Endpoint, object: ApiObject): Promise<void> {
  try {
    await ensureOwn(options, endpoint, object);
  } catch (error) {
    if (!(error instanceof UnreadableBodyError)) throw error;
  }
}

/** Classes of what nothing works without. */
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

/** Makes what else every installation has: the Service that stands for the API, and the priority classes of the system. */
export async function bootstrap(options: BootstrapOptions): Promise<void> {
  if (options.services) await ensureService(options, options.services);
  if (options.priorityClasses)
    for (const each of SYSTEM_CLASSES) await ensureThere(options, options.priorityClasses, each);
}

/** Where servers start side by side on an empty database, the address is claimed before the Service of whoever claims it can be seen. */
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
