import type { KnownObjects, KnownResource, ServerWriter } from '@orch/admission';
import type { OrderedFeed } from '@orch/feed';
import type { ApiDeps } from '@orch/handlers';
import type { InformerStore } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { fromStored, storedEndpoint } from '@orch/resources';
import type { Change, Key, ServingStore, TypeId } from '@orch/storage';
import { ensureOwn, serverForUsers } from '@orch/writing';
import { KindInformer } from './kind-informer.js';

/** Sources of the objects that plugins look up. */
export interface KnownObjectsSource {
  /** Resources, reader and write pipeline of the process. */
  readonly deps: Pick<ApiDeps, 'names' | 'served' | 'unserved' | 'reader' | 'pipeline'>;
  /** Store that objects are loaded from, with notices of commits and rewinds. */
  readonly store: InformerStore & Pick<ServingStore, 'onCommit' | 'onRewind'>;
  /** Feed of changes. */
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** Receives failures to load or follow objects. */
  readonly onError: (error: unknown) => void;
}

/** The objects that one plugin looks up, and a way to wait until they are up to date. */
export interface PluginObjects {
  /** The objects, as the plugin sees them. */
  readonly objects: KnownObjects;
  /** Waits for all kinds that the plugin follows; see {@link KindInformer.caughtUp}. */
  caughtUp(deadline: number): Promise<void> | undefined;
}

const nameOf = ({ group, resource }: KnownResource) => `${group}/${resource}`;

/** Shares objects between the plugins of a process: a resource that several of them look up is followed once. */
export class ProcessObjects {
  readonly #kinds = new Map<string, { readonly resource: KnownResource; readonly kind: KindInformer }>();
  readonly #ends: (() => void)[] = [];
  /** Writes for plugins, with the rights of the server. */
  readonly ownWrites: ServerWriter = {
    create: (resource, object, deadline) => {
      const { deps } = this.#started();
      return ensureOwn(deps, storedEndpoint(deps, resource.group, resource.resource), object, serverForUsers(deadline));
    },
  };
  #source: KnownObjectsSource | undefined;

  /** Creates the view of one plugin. Resources must be followed before {@link start}. */
  forPlugin(): PluginObjects {
    const followed = new Set<KindInformer>();
    const follow = (resource: KnownResource) => {
      if (this.#source) throw new Error(`${resource.resource} are to be followed from the start`);
      const kind = this.#kinds.get(nameOf(resource))?.kind ?? new KindInformer();
      this.#kinds.set(nameOf(resource), { resource, kind });
      followed.add(kind);
      return kind;
    };
    return {
      objects: {
        follow,
        read: (resource, namespace, name) => this.#read(resource, namespace, name),
        list: (resource, namespace) => this.#list(resource, namespace),
      },
      caughtUp: (deadline) => caughtUp(followed, deadline),
    };
  }

  /** Loads the objects of all followed resources. Nothing may be written before it resolves. */
  async start(source: KnownObjectsSource): Promise<void> {
    this.#source = source;
    const { deps, store } = source;
    const byType = new Map<TypeId, KindInformer>();
    const starting = [...this.#kinds.values()].map(({ resource, kind }) => {
      const endpoint = storedEndpoint(deps, resource.group, resource.resource);
      byType.set(endpoint.type, kind);
      return { kind, endpoint };
    });
    const rewound = () => {
      for (const kind of byType.values()) kind.rewound();
    };
    this.#ends.push(
      store.onCommit((changes) => acknowledge(byType, changes)),
      store.onRewind(rewound),
    );
    await Promise.all(starting.map(({ kind, endpoint }) => kind.follow(endpoint, source)));
  }

  /** Stops following all objects; they are not updated any more. */
  stop(): void {
    for (const end of this.#ends) end();
    for (const { kind } of this.#kinds.values()) kind.stop();
  }

  #started(): KnownObjectsSource {
    if (!this.#source) throw new Error('nothing can be read or written yet');
    return this.#source;
  }

  async #read({ group, resource }: KnownResource, namespace: string, name: string): Promise<ApiObject | undefined> {
    const { deps } = this.#started();
    const endpoint = storedEndpoint(deps, group, resource);
    const stored = await deps.reader.current(endpoint.type, { namespace, name });
    return stored && fromStored(stored, endpoint);
  }

  async *#list({ group, resource }: KnownResource, namespace: string): AsyncIterable<readonly ApiObject[]> {
    if (!this.#source) throw new Error('nothing can be read yet');
    const { deps, store } = this.#source;
    const endpoint = storedEndpoint(deps, group, resource);
    const within = { type: endpoint.type, namespace, limit: LISTED_AT_A_TIME };
    let after: Key | undefined;
    for (let read = LISTED_AT_A_TIME; read === LISTED_AT_A_TIME; ) {
      const { pages } = await store.snapshot({ ...within, ...(after && { after }) });
      read = 0;
      for await (const page of pages) {
        read += page.length;
        const last = page.at(-1);
        if (last) after = { namespace: last.namespace, name: last.name };
        yield page.map((row) => fromStored(row, endpoint));
      }
    }
  }
}

/** Objects that are read at a time, so that no transaction lasts long. */
const LISTED_AT_A_TIME = 1_000;

function acknowledge(byType: ReadonlyMap<TypeId, KindInformer>, changes: readonly Change[]): void {
  for (const { type, version } of changes) byType.get(type)?.acknowledged(version);
}

function caughtUp(kinds: Iterable<KindInformer>, deadline: number): Promise<void> | undefined {
  let waits: Promise<void>[] | undefined;
  for (const kind of kinds) {
    const wait = kind.caughtUp(deadline);
    if (wait) waits = [...(waits ?? []), wait];
  }
  return waits && Promise.all(waits).then(() => undefined);
}
