import type { ParamKind, ParamObjects } from '@orch/admission';
import { type ApiObject, parseApiVersion, timeout } from '@orch/machinery';
import type { Change, Row, TypeId } from '@orch/storage';
import { servedObject } from '../representation/shape.js';
import { type Endpoint, UNSTORED } from '../served/endpoint.js';
import { inServedVersion } from '../served/version-stage.js';
import { FollowedType } from './followed-type.js';
import type { KnownObjectsSource } from './known-objects.js';

/** Seconds after which who was not told in time may ask again. */
const RETRY_SECONDS = 1;

/**
 * The objects that admission policies are told what to ask for by, of whatever kind: all objects of the kinds that policies name lie in
 * memory as they are stored, and what is asked for is made of that.
 */
export class ServedParams implements ParamObjects {
  #source: KnownObjectsSource | undefined;
  #kinds: readonly ParamKind[] = [];
  readonly #byType = new Map<TypeId, FollowedType<Row>>();
  readonly #ends: (() => void)[] = [];
  readonly #made = new WeakMap<Row, { readonly by: Endpoint; readonly object: ApiObject }>();

  /** From now on kinds are followed; custom ones as they come. */
  start(source: KnownObjectsSource): void {
    this.#source = source;
    const { deps, store } = source;
    this.#ends.push(
      store.onCommit((changes) => this.#acknowledge(changes)),
      store.onRewind(() => this.#rewound()),
      deps.served.onChange(() => this.#reconcile()),
    );
    this.#reconcile();
  }

  stop(): void {
    for (const end of this.#ends) end();
    for (const rows of this.#byType.values()) rows.stop();
    this.#byType.clear();
    this.#kinds = [];
  }

  follow(kinds: readonly ParamKind[]): void {
    this.#kinds = kinds;
    this.#reconcile();
  }

  isServed(kind: ParamKind): boolean {
    return this.#endpoint(kind) !== undefined;
  }

  find(
    kind: ParamKind,
    namespace: string,
    name: string,
    deadline: number,
  ): ApiObject | undefined | Promise<ApiObject | undefined> {
    const endpoint = this.#endpoint(kind);
    const rows = endpoint && this.#byType.get(endpoint.type);
    if (!rows) return undefined;
    const look = () => {
      const row = rows.get(namespace, name);
      return row && this.#object(row, endpoint);
    };
    const wait = rows.caughtUp(deadline);
    const late = () => {
      throw timeout(`the objects of kind ${kind.kind} could not be loaded in time`, RETRY_SECONDS);
    };
    return wait ? wait.then(look, late) : look();
  }

  /** Nobody changes it: it is made once. */
  #object(row: Row, endpoint: Endpoint): ApiObject | Promise<ApiObject> {
    const made = this.#made.get(row);
    if (made?.by === endpoint) return made.object;
    const keep = (object: ApiObject) => {
      this.#made.set(row, { by: endpoint, object });
      return object;
    };
    if (!endpoint.stage || endpoint.stage.isServed(row)) return keep(servedObject(endpoint, row));
    return inServedVersion(endpoint, row).then((served) => keep(servedObject(endpoint, served)));
  }

  /** What is served of a kind and lies here; other servers are not asked. */
  #endpoint({ apiVersion, kind }: ParamKind): Endpoint | undefined {
    const parsed = parseApiVersion(apiVersion);
    const group = parsed && this.#source?.deps.served.current.groups.get(parsed.group);
    for (const { endpoint } of group?.values() ?? []) {
      const { definition, type } = endpoint;
      if (definition.kind === kind && definition.version === parsed?.version && type !== UNSTORED) return endpoint;
    }
    return undefined;
  }

  /** Follows what is named and served, and nothing else. */
  #reconcile(): void {
    const wanted = new Set<TypeId>();
    for (const kind of this.#kinds) {
      const endpoint = this.#endpoint(kind);
      if (endpoint) wanted.add(endpoint.type);
    }
    for (const [type, rows] of this.#byType) {
      if (wanted.has(type)) continue;
      rows.stop();
      this.#byType.delete(type);
    }
    for (const type of wanted) if (!this.#byType.has(type)) this.#begin(type);
  }

  #begin(type: TypeId): void {
    const { store, feed, onError } = this.#source as KnownObjectsSource;
    const rows = new FollowedType<Row>();
    void rows.start({ type, read: (row) => row, store, feed, onError });
    this.#byType.set(type, rows);
  }

  #acknowledge(changes: readonly Change[]): void {
    if (this.#byType.size === 0) return;
    for (const { type, version } of changes) this.#byType.get(type)?.acknowledged(version);
  }

  #rewound(): void {
    for (const rows of this.#byType.values()) rows.rewound();
  }
}
