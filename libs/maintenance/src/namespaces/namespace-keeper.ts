import { readFile } from 'node:fs/promises';
import type { FollowedObjects } from '@orch/admission';
import type { AdmissionControl, AdmissionOptions } from '@orch/admission-host';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { ObjectFollower } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { fromStored, storedEndpoint } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import type { ServingStore } from '@orch/storage';
import { type StandingObject, StandingObjects } from './standing-objects.js';

interface StandingObjectsSettings {
  readonly deps: ApiDeps;
  readonly store: ServingStore;
  readonly feed: OrderedFeed;
  /** What of it is looked after here. */
  readonly keeps: (name: 'serviceaccount' | 'root-ca-cert-publisher') => boolean;
  readonly options: AdmissionOptions;
  readonly followed: FollowedByStanding;
  readonly logger: Logger;
}

/** Informers that must be started with the process. */
export interface FollowedByStanding {
  /** Follows all namespaces. */
  readonly namespaces: FollowedObjects;
  /** Follows service accounts; undefined where they are not needed. */
  readonly accounts: FollowedObjects | undefined;
}

/** Accounts are made where pods need them. To be called before admission is started. */
export function followForStanding({ plugins, objects }: AdmissionControl): FollowedByStanding {
  const { objects: known } = objects.forPlugin();
  const needsAccounts = plugins.some(({ name }) => name === 'ServiceAccount');
  return {
    namespaces: known.follow({ group: '', resource: 'namespaces' }),
    accounts: needsAccounts ? known.follow({ group: '', resource: 'serviceaccounts' }) : undefined,
  };
}

const ACCOUNT = 'default';
const ROOT_CA = 'kube-root-ca.crt';

/**
 * Creates the default objects of every namespace, as options say: the `default` service account, and the ConfigMap with
 * the root certificate of the API.
 */
export class NamespaceKeeper {
  #objects: StandingObjects | undefined;
  #configMaps: ObjectFollower<ApiObject | undefined> | undefined;

  constructor(private readonly settings: StandingObjectsSettings) {}

  /**
   * Loads the existing objects and begins to create missing ones.
   * @throws Error for a root certificate file that cannot be read
   */
  async start(): Promise<void> {
    const { deps, store, followed, logger } = this.settings;
    const objects = [...this.#account(), ...(await this.#rootCa())];
    if (objects.length === 0) return;
    const onError = (error: unknown) => logger.error('objects that every namespace has', error);
    const { pipeline } = deps;
    this.#objects = new StandingObjects({ namespaces: followed.namespaces, objects, pipeline, store, onError });
    this.#objects.start();
  }

  /** Stops creating objects and resolves once what is under way has ended. */
  async stop(): Promise<void> {
    await this.#objects?.stop();
    this.#configMaps?.stop();
  }

  #account(): readonly StandingObject[] {
    const { deps, followed, keeps } = this.settings;
    if (!followed.accounts || !keeps('serviceaccount')) return [];
    const endpoint = storedEndpoint(deps, '', 'serviceaccounts');
    return [{ endpoint, name: ACCOUNT, content: {}, followed: followed.accounts }];
  }

  async #rootCa(): Promise<readonly StandingObject[]> {
    const { deps, options, keeps, store, feed, logger } = this.settings;
    if (options.rootCaFile === undefined || !keeps('root-ca-cert-publisher')) return [];
    const text = await readFile(options.rootCaFile, 'utf8');
    const endpoint = storedEndpoint(deps, '', 'configmaps');
    const follower = new ObjectFollower<ApiObject | undefined>({
      ...{ source: store, feed, type: endpoint.type },
      // There may be many, and large ones.
      read: (row) => (row.name === ROOT_CA ? fromStored(row, endpoint) : undefined),
      onError: (error) => logger.error('config maps of certificate authorities', error),
    });
    this.#configMaps = follower;
    await follower.start();
    const followed = {
      get: (namespace: string, name: string) => follower.objects.get(`${namespace}/${name}`),
      onChange: (listener: () => void) => void follower.onChange(listener),
    };
    return [{ endpoint, name: ROOT_CA, content: { data: { 'ca.crt': text } }, followed }];
  }
}
