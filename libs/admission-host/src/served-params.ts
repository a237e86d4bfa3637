import type { ParamKind, ParamObjects } from '@orch/admission';
import { ResourceInformer } from '@orch/informers';
import { type ApiObject, type LabelSelector, parseApiVersion, timeout } from '@orch/machinery';
import { type Endpoint, inServedVersion, servedObject, toStatusError, UNSTORED } from '@orch/resources';
import { Slices } from '@orch/runtime/work';
import type { Change, Row, TypeId } from '@orch/storage';
import type { KnownObjectsSource } from './known-objects.js';

type Labels = Readonly<Record<string, string>>;

/** Seconds after which a client whose request timed out here may retry. */
const RETRY_SECONDS = 1;

/**
 * Parameters of admission policies, of any kind: all objects of the kinds that policies name are cached in memory as
 * they are stored, and converted when they are read.
 */
export class ServedParams implements ParamObjects {
  #source: KnownObjectsSource | undefined;
  #kinds: readonly ParamKind[] = [];
  readonly #byType = new Map<TypeId, ResourceInformer<Row>>();
  readonly #ends: (() => void)[] = [];
  /** Selected rows by namespace, for each selector; dropped when the objects change. */
  readonly #selections = new WeakMap<ResourceInformer<Row>, WeakMap<LabelSelector, Map<string, readonly Row[]>>>();
  readonly #labels = new WeakMap<Row, Labels>();
  readonly #made = new WeakMap<Row, { readonly by: Endpoint; readonly object: ApiObject }>();

  /** Starts following the kinds; custom ones once they are served. */
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

  /** Ends following, and drops the cache. */
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

  isNamespaced(kind: ParamKind): boolean | undefined {
    return this.#endpoint(kind)?.definition.namespaced;
  }

  find(
    kind: ParamKind,
    namespace: string,
    name: string,
    deadline: number,
  ): ApiObject | undefined | Promise<ApiObject | undefined> {
    return this.#look(kind, deadline, undefined, (rows, endpoint) => {
      const row = rows.get(namespace, name);
      const unreadable = row ? undefined : rows.unreadableOne(namespace, name);
      if (unreadable) throw toStatusError(unreadable);
      return row && this.#object(row, endpoint);
    });
  }

  select(
    kind: ParamKind,
    namespace: string,
    selector: LabelSelector,
    deadline: number,
  ): readonly ApiObject[] | Promise<readonly ApiObject[]> {
    return this.#look<readonly ApiObject[]>(kind, deadline, [], (rows, endpoint) => {
      // The unreadable object may be one that the selector matches.
      const unreadable = rows.unreadable(namespace);
      if (unreadable) throw toStatusError(unreadable);
      return this.#selected(rows, namespace, selector, endpoint);
    });
  }

  /** Returns the selected objects, sorted by name. The selection is cached until something changes. */
  async #selected(
    rows: ResourceInformer<Row>,
    namespace: string,
    selector: LabelSelector,
    endpoint: Endpoint,
  ): Promise<readonly ApiObject[]> {
    const known = this.#selections.get(rows) ?? new WeakMap<LabelSelector, Map<string, readonly Row[]>>();
    this.#selections.set(rows, known);
    const byNamespace = known.get(selector) ?? new Map<string, readonly Row[]>();
    known.set(selector, byNamespace);
    const selected = byNamespace.get(namespace) ?? (await this.#select(rows.in(namespace), selector, endpoint));
    byNamespace.set(namespace, selected);
    const slices = new Slices();
    const objects: ApiObject[] = [];
    for (const row of selected) {
      await slices.between();
      objects.push(await this.#object(row, endpoint));
    }
    return objects;
  }

  async #select(rows: Iterable<Row>, selector: LabelSelector, endpoint: Endpoint): Promise<readonly Row[]> {
    const slices = new Slices();
    const selected: Row[] = [];
    for (const row of [...rows]) {
      const turn = slices.between();
      if (turn) await turn;
      if (selector.matches(this.#labelsOf(row, endpoint))) selected.push(row);
    }
    return selected.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns the labels of a row, which are read once. */
  #labelsOf(row: Row, { description }: Endpoint): Labels {
    const labels = this.#labels.get(row) ?? description.describe(row).labels;
    this.#labels.set(row, labels);
    return labels;
  }

  /**
   * Looks up objects of a kind, once its cache is current.
   * @param unknown result for a kind that is not followed.
   * @throws StatusError 504
   */
  #look<T>(
    kind: ParamKind,
    deadline: number,
    unknown: T,
    look: (rows: ResourceInformer<Row>, endpoint: Endpoint) => T | Promise<T>,
  ): T | Promise<T> {
    const endpoint = this.#endpoint(kind);
    const rows = endpoint && this.#byType.get(endpoint.type);
    if (!rows) return unknown;
    const wait = rows.caughtUp(deadline);
    const late = () => {
      throw timeout(`the objects of kind ${kind.kind} could not be loaded in time`, RETRY_SECONDS);
    };
    return wait ? wait.then(() => look(rows, endpoint), late) : look(rows, endpoint);
  }

  /** Returns the object of a row in the version of the endpoint. It is made once, as callers do not change it. */
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

  /** Returns the endpoint of a kind that is stored here; aggregated servers are not asked. */
  #endpoint({ apiVersion, kind }: ParamKind): Endpoint | undefined {
    const parsed = parseApiVersion(apiVersion);
    const group = parsed && this.#source?.deps.served.current.groups.get(parsed.group);
    for (const { endpoint } of group?.values() ?? []) {
      const { definition, type } = endpoint;
      if (definition.kind === kind && definition.version === parsed?.version && type !== UNSTORED) return endpoint;
    }
    return undefined;
  }

  /** Follows exactly the kinds that are named and served. */
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
    const rows = new ResourceInformer<Row>();
    rows.onChange(() => this.#selections.delete(rows));
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
