import { type Allocators, addressRange, makeAllocator, portRange } from '@orch/kinds';
import type { Names } from '@orch/machinery';
import type { ResourceDefinition, Scheme } from '@orch/schema';
import type { Store } from '@orch/storage';
import type { WatchCache } from '@orch/watchcache';
import { storeClaims } from '../allocation/store-claims.js';
import type { ApiDeps, RequestLimits } from '../deps.js';
import type { Endpoint } from '../endpoint.js';
import { NamespaceTerminator } from '../namespaces/namespace-terminator.js';
import { ObjectLister } from '../reading/object-lister.js';
import { ObjectReader } from '../reading/object-reader.js';
import { Representations } from '../representation/choose.js';
import { ObjectRemover } from '../writing/object-remover.js';
import { ObjectWriter } from '../writing/object-writer.js';
import { bootstrap } from './bootstrap.js';
import { buildEndpoints, oneForEachType } from './endpoints.js';

export interface AssembleOptions {
  readonly names: Names;
  readonly scheme: Scheme;
  readonly served: readonly ResourceDefinition[];
  readonly store: Store;
  readonly cache: WatchCache;
  readonly limits: RequestLimits;
  readonly watchList: boolean;
  readonly compress: boolean;
  readonly serviceCidr: string;
  readonly nodePorts: { readonly from: number; readonly to: number };
  readonly onError: (error: unknown) => void;
}

/** The API of one process, without sockets. */
export interface Api {
  readonly deps: ApiDeps;
  readonly endpoints: readonly Endpoint[];
  readonly terminator: NamespaceTerminator;
  /** Makes what every installation has. */
  bootstrap(securePort: number): Promise<void>;
}

/** Types of the claims on addresses and ports; not served. */
const CLAIM_TYPES = [
  { group: 'internal', resource: 'clusterips' },
  { group: 'internal', resource: 'nodeports' },
];

export async function assembleApi(options: AssembleOptions): Promise<Api> {
  const { names, scheme, store, cache } = options;
  const now = Date.now;
  const endpoints = await buildEndpoints(options.served, scheme, store, names);
  const find = (group: string, resource: string): Endpoint => {
    const found = endpoints.find(({ definition }) => definition.group === group && definition.resource === resource);
    if (!found) throw new Error(`${resource} must be served`);
    return found;
  };
  const namespaces = find('', 'namespaces');
  store.setNamespaceType(namespaces.type);
  const allocators = await makeAllocators(options);
  const reader = new ObjectReader(store, cache);
  const writer = new ObjectWriter({ store, reader, namespaces, allocators, now });
  const remover = new ObjectRemover({ store, reader, writer, now });
  const meta = {
    partialObjectMetadata: scheme.struct('meta/v1.PartialObjectMetadata'),
    listMeta: scheme.struct('meta/v1.ListMeta'),
    status: scheme.struct('meta/v1.Status'),
  };
  const namespaced = oneForEachType(endpoints).filter(({ definition }) => definition.namespaced);
  return {
    deps: {
      names,
      scheme,
      store,
      cache,
      reader,
      writer,
      remover,
      lister: new ObjectLister(store, cache, reader),
      representations: new Representations(names, meta, now),
      limits: options.limits,
      watchList: options.watchList,
      compress: options.compress,
    },
    endpoints,
    terminator: new NamespaceTerminator({
      store,
      names,
      namespaces,
      namespaced,
      remover,
      writer,
      onError: options.onError,
    }),
    bootstrap: (securePort) =>
      bootstrap({ reader, writer, names, find, securePort, serviceAddress: addressRange(options.serviceCidr).first }),
  };
}

async function makeAllocators({ store, serviceCidr, nodePorts }: AssembleOptions): Promise<Allocators> {
  const [addresses = 0, ports = 0] = await store.registerTypes(CLAIM_TYPES);
  return {
    clusterIPs: makeAllocator(addressRange(serviceCidr), storeClaims(store, addresses)),
    nodePorts: makeAllocator(portRange(nodePorts.from, nodePorts.to), storeClaims(store, ports)),
  };
}
