import { type ApiObject, copy, type Names, StatusError } from '@orch/machinery';
import type { ApiDeps } from '../deps.js';
import { SYSTEM_NAMESPACES } from '../namespaces/protected-namespaces.js';
import type { ObjectReader } from '../reading/object-reader.js';
import type { Endpoint } from '../served/endpoint.js';
import { serverItself } from '../writing/caller.js';
import type { WritePipeline } from '../writing/write-pipeline.js';

interface Making {
  readonly reader: ObjectReader;
  readonly pipeline: WritePipeline;
}

export interface BootstrapOptions extends Making {
  readonly names: Names;
  /** Undefined where they are not served. */
  readonly services: Endpoint | undefined;
  /** Address of the Service that stands for the API. */
  readonly serviceAddress: string;
  readonly securePort: number;
}

/** Makes the namespaces that every installation has. */
export async function makeNamespaces(options: Making & { readonly namespaces: Endpoint }): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) await ensure(options, options.namespaces, '', { metadata: { name } });
}

/** Makes a namespace where there is none. */
export async function ensureNamespace(options: Pick<ApiDeps, 'reader' | 'pipeline' | 'served'>, name: string) {
  const endpoint = options.served.current.ofResource('', 'namespaces');
  if (endpoint) await ensure(options, endpoint, '', { metadata: { name } });
}

/** Makes what else every installation has: the Service that stands for the API. */
export async function bootstrap(options: BootstrapOptions): Promise<void> {
  if (options.services) await ensure(options, options.services, 'default', apiService(options));
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

async function ensure(options: Making, endpoint: Endpoint, namespace: string, object: ApiObject): Promise<void> {
  const key = { namespace, name: object.metadata?.name ?? '' };
  if (await options.reader.current(endpoint.type, key)) return;
  try {
    const request = { operation: 'CREATE', endpoint, key, subresource: '', caller: serverItself() } as const;
    await options.pipeline.write({ ...request, options: { dryRun: false } }, { create: () => copy(object) });
  } catch (error) {
    // Another server has made it meanwhile.
    if (!(error instanceof StatusError) || error.status.reason !== 'AlreadyExists') throw error;
  }
}
