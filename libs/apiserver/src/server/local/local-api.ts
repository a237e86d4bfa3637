import { authenticated } from '@orch/authentication';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import { type InformerStore, informerSettings, StoreReflector } from '@orch/informers';
import type { ApiObject, GroupVersionResource } from '@orch/machinery';
import { type Endpoint, servedObject, unknownPath } from '@orch/resources';
import { type Indexers, SharedIndexInformer } from '@orch/runtime/informers';
import type { OpenWatches } from '@orch/serving';
import { bindingModel, type LocalHost, type LocalIdentity, LocalRequests } from '@orch/writing';
import { LocalApiRequests, type RequestSettings } from './api-requests.js';
import { PermittedReflector, type ReflectorAccess } from './permitted-reflector.js';

/** Parts of the process that requests within it are made with. */
interface LocalParts {
  /** Dependencies of all requests. */
  readonly deps: ApiDeps;
  /** Store that objects are followed in. */
  readonly store: InformerStore;
  /** Feed of its changes. */
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Register of open watches. */
  readonly watches: OpenWatches;
  /** Dependencies that all requests within the process have in common. */
  readonly host: Omit<LocalHost, 'term' | 'requestMs'>;
}

/** A user of the API, as a component of this process. */
export interface LocalUser {
  /** Name of the user. */
  readonly name: string;
  /** Its groups, beside that of all who are authenticated. */
  readonly groups: readonly string[];
  /** User agent of its requests, of which the field manager is made. */
  readonly agent: string;
}

/** How objects of a resource are followed. */
interface FollowSettings {
  /** Indexes of the informer. */
  readonly indexers: Indexers<ApiObject>;
  /** Whether an object is left out, as if there were none of its name. Default: none is. */
  leavesOut?(object: ApiObject): boolean;
  /** Called with each failure, which is tried again. */
  readonly onError: (error: unknown) => void;
}

/** An informer over the store of this process. */
class LocalInformer extends SharedIndexInformer<ApiObject> {
  constructor(
    private readonly reflector: PermittedReflector<ApiObject>,
    private readonly settings: Pick<FollowSettings, 'indexers' | 'onError'>,
  ) {
    super(settings.indexers);
  }

  /** Begins to follow. Resolves when all objects have been listed once, or it is stopped. */
  start(): Promise<void> {
    return this.run(this.reflector, informerSettings(this.settings));
  }
}

/** The API within the process that serves it, as one of its users: with that one's rights, and no connection. */
export class LocalApi {
  readonly #identity: LocalIdentity;

  constructor(
    private readonly parts: LocalParts,
    { name, groups, agent }: LocalUser,
  ) {
    this.#identity = { user: authenticated({ name, groups, extra: {} }, 'token').user, agent };
  }

  /** Returns what makes requests. */
  requests(settings: RequestSettings = {}): LocalApiRequests {
    const { deps, host } = this.parts;
    const own = { ...host, admission: deps.admission, bindings: bindingModel(deps.scheme) };
    return new LocalApiRequests(own, this.#identity, (resource) => this.#endpointOf(resource), settings);
  }

  /** Returns an informer of a resource, which reads its objects in the version that is asked for. */
  informer(resource: GroupVersionResource, settings: FollowSettings): LocalInformer {
    const { store: source, feed, watches, host } = this.parts;
    const { leavesOut, onError } = settings;
    const requests = new LocalRequests({ ...host, term: () => 1 }, this.#identity);
    const access: ReflectorAccess = { identity: this.#identity, requests, watches };
    const make = (endpoint: Endpoint) =>
      new StoreReflector<ApiObject>({
        ...{ source, feed, type: endpoint.type, onError, ...(leavesOut && { leavesOut }) },
        read: (row) => servedObject(endpoint, row),
      });
    const reflector = new PermittedReflector(access, () => this.#endpointOf(resource), make);
    return new LocalInformer(reflector, settings);
  }

  /** @throws StatusError 404 for a resource that is not served */
  #endpointOf({ group, version, resource }: GroupVersionResource): Endpoint {
    const endpoint = this.parts.deps.served.current.find(group, version, resource);
    if (!endpoint) throw unknownPath();
    return endpoint;
  }
}
