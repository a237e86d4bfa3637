import { type FollowedObjects, isNeeded } from '@orch/admission';
import type { AdmissionControl } from '@orch/admission-host';
import type { Controller, ControllerGroup } from '@orch/controllers';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { StoreInformer } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, fromStored, storedEndpoint } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import type { SharedInformer } from '@orch/runtime/informers';
import type { ServingStore } from '@orch/storage';
import type { ControllerClient } from '@orch/writing';
import { defaultObjects } from './default-objects.js';
import { NamespaceContents } from './namespace-contents.js';
import { namespaceController } from './namespace-controller.js';

type Work = 'namespace' | 'serviceaccount' | 'root-ca-cert-publisher';

/** Dependencies of the controllers of namespaces. */
interface NamespaceControllersSettings {
  readonly deps: ApiDeps;
  readonly store: ServingStore;
  readonly feed: OrderedFeed;
  /** Returns one endpoint for each type of namespaced objects that is currently served. */
  readonly namespaced: () => readonly Endpoint[];
  /** Resolves once this process serves all kinds that any server served before the call. */
  readonly catchUp: () => Promise<void>;
  /** Returns whether a controller runs in this process. */
  readonly runs: (name: Work) => boolean;
  /** Returns a client with the identity of a controller's service account. */
  readonly clientOf: (account: string) => ControllerClient;
  /** Authorities that verify the API's certificate, PEM; absent where no namespace gets them. */
  readonly rootCa?: string;
  readonly followed: FollowedByNamespaces;
  readonly logger: Logger;
}

/** Objects that are followed from the start of the process. */
export interface FollowedByNamespaces {
  /** All namespaces. */
  readonly namespaces: FollowedObjects;
  /** Service accounts; undefined if no plugin needs them. */
  readonly accounts: FollowedObjects | undefined;
}

/**
 * Starts to follow the objects of the controllers; service accounts only if pods need them. To be called before
 * admission is started.
 */
export function followForNamespaces({ plugins, objects }: AdmissionControl): FollowedByNamespaces {
  const { objects: known } = objects.forPlugin();
  return {
    namespaces: known.follow({ group: '', resource: 'namespaces' }),
    accounts: isNeeded(plugins, 'accounts') ? known.follow({ group: '', resource: 'serviceaccounts' }) : undefined,
  };
}

const ACCOUNT = 'default';
const ROOT_CA = 'kube-root-ca.crt';

/**
 * Returns the controllers of namespaces: one empties those that are being deleted, others create the objects that each
 * namespace has (the default service account, and the authorities that verify the API's certificate).
 */
export function namespaceControllers(settings: NamespaceControllersSettings): ControllerGroup {
  const account = accountController(settings);
  const { rootCa } = settings;
  const controllers = [...(settings.runs('namespace') ? [emptier(settings)] : []), ...(account ? [account] : [])];
  if (rootCa === undefined || !settings.runs('root-ca-cert-publisher')) return { controllers };
  const configMaps = caInformer(settings);
  const publisher = caController(settings, rootCa, configMaps);
  return {
    controllers: [...controllers, publisher],
    start: () => configMaps.start(),
    stop: () => configMaps.stop(),
  };
}

function emptier({ deps, store, namespaced, catchUp, clientOf, followed, logger }: NamespaceControllersSettings) {
  const client = clientOf('namespace-controller');
  const endpoint = storedEndpoint(deps, '', 'namespaces');
  return namespaceController({
    names: deps.names,
    endpoint,
    namespaces: followed.namespaces.informer,
    async current(name) {
      const stored = await deps.reader.current(endpoint.type, { namespace: '', name });
      return stored && fromStored(stored, endpoint);
    },
    contents: new NamespaceContents({ store, client, namespaced, catchUp }),
    client,
    now: deps.now,
    onError: (error) => logger.error('the contents of a namespace could not be deleted', error),
  });
}

function accountController({ deps, followed, runs, clientOf }: NamespaceControllersSettings): Controller | undefined {
  const { namespaces, accounts } = followed;
  if (!accounts || !runs('serviceaccount')) return undefined;
  const endpoint = storedEndpoint(deps, '', 'serviceaccounts');
  return defaultObjects({
    name: 'serviceaccount',
    object: { endpoint, name: ACCOUNT, content: {}, informer: accounts.informer },
    namespaces: namespaces.informer,
    client: clientOf('service-account-controller'),
  });
}

/** Informer of the config maps of authorities; of others it keeps only the name, as there may be many large ones. */
function caInformer({ deps, store, feed, logger }: NamespaceControllersSettings) {
  const endpoint = storedEndpoint(deps, '', 'configmaps');
  return new StoreInformer<ApiObject | undefined>({
    ...{ source: store, feed, type: endpoint.type },
    read: (row) => (row.name === ROOT_CA ? fromStored(row, endpoint) : undefined),
    onError: (error) => logger.error('config maps of certificate authorities could not be followed', error),
  });
}

function caController(
  { deps, followed, clientOf }: NamespaceControllersSettings,
  text: string,
  configMaps: SharedInformer<ApiObject | undefined>,
): Controller {
  const endpoint = storedEndpoint(deps, '', 'configmaps');
  return defaultObjects({
    name: 'root-ca-cert-publisher',
    object: { endpoint, name: ROOT_CA, content: { data: { 'ca.crt': text } }, informer: configMaps },
    namespaces: followed.namespaces.informer,
    client: clientOf('root-ca-cert-publisher'),
  });
}
