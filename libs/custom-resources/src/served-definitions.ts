import { FollowingEndedError } from '@orch/feed';
import type { Clock } from '@orch/runtime';
import { Slices, WorkOnDemand } from '@orch/runtime/work';
import type { Store, TypeId, Version } from '@orch/storage';
import type { Definition } from './definition.js';
import type { DefinitionInformer } from './definition-informer.js';

/** The endpoints of one definition. */
export interface CustomKind<E> {
  /** An endpoint for each served version. */
  readonly endpoints: readonly E[];
  /** Endpoint in the storage version, through which objects are deleted whichever versions are served. */
  readonly storage: E;
}

/** A definition with its served endpoints. */
export interface ServedDefinition<E> extends CustomKind<E> {
  /** Definition that the endpoints were made from. */
  readonly definition: Definition;
}

/** A change of how a definition is served. */
export interface DefinitionChange<E> {
  /** State before; undefined where it was not served. */
  readonly before: ServedDefinition<E> | undefined;
  /** State after; undefined where it is not served any more. */
  readonly after: ServedDefinition<E> | undefined;
}

/** Dependencies of {@link ServedDefinitions}. */
export interface ServedDefinitionsOptions<E> {
  /** Informer of the definitions. */
  readonly informer: DefinitionInformer;
  /** Assigns ids to the types of custom kinds. */
  readonly store: Pick<Store, 'registerTypes'>;
  /**
   * Creates the endpoints of a definition, whose objects are stored under `type`. If it throws, the error is reported,
   * and the definition is not served until it changes.
   */
  make(definition: Definition, type: TypeId): CustomKind<E>;
  /**
   * Publishes changed definitions. Endpoints that have not changed are the same objects as before. Discovery and
   * OpenAPI list the definitions that are established, and no create operation for those that are terminating. Must not
   * throw.
   */
  publish(changes: readonly DefinitionChange<E>[]): void;
  /** Whether a resource is built in. A definition of such a resource is not served, as the type holds other objects. */
  isBuiltIn(group: string, resource: string): boolean;
  /** Called with errors of making kinds and registering types. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Keeps the served endpoints in step with the definitions; creates endpoints for new and changed ones. */
export class ServedDefinitions<E> {
  readonly #work: WorkOnDemand;
  readonly #types = new Map<string, TypeId>();
  readonly #listeners = new Set<() => void>();
  /** Served definitions by name. */
  readonly #served = new Map<string, ServedDefinition<E>>();
  /** Fingerprints of definitions that could not be made, by name. */
  readonly #broken = new Map<string, string>();
  /** Kinds that were made ahead, by name. */
  readonly #made = new Map<string, { readonly fingerprint: string; readonly kind: CustomKind<E> }>();
  /** Names of definitions that have changed since the last round. */
  #changed = new Set<string>();
  #version: Version | undefined;
  #currentAsOf = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(private readonly options: ServedDefinitionsOptions<E>) {
    const { onError, clock } = options;
    this.#work = new WorkOnDemand(() => this.#serve(), { onError, ...(clock && { clock }) });
  }

  /** Version of the definitions that is served; undefined before the first. */
  get version(): Version | undefined {
    return this.#version;
  }

  /** Time at which the served definitions were last known to be current, monotonic milliseconds. */
  get currentAsOf(): number {
    const { version, confirmedAt } = this.options.informer;
    if (version === this.#version && confirmedAt !== undefined) this.#currentAsOf = confirmedAt;
    return this.#currentAsOf;
  }

  /**
   * Returns the endpoints of a definition, and creates them where it is not served.
   * @throws what `make` throws; StoreUnavailableError
   */
  async kindOf(definition: Definition): Promise<CustomKind<E>> {
    const served = this.#served.get(definition.name);
    if (served?.definition.fingerprint === definition.fingerprint) return served;
    if (!this.#types.has(typeKey(definition))) await this.#register([definition]);
    return this.#make(definition);
  }

  /** Begins to serve the definitions that the informer knows, and their changes. */
  start(): void {
    const { informer } = this.options;
    informer.onChange((changed) => {
      for (const name of changed) this.#changed.add(name);
      this.#work.ask();
    });
    this.#changed = new Set(informer.definitions.keys());
    this.#work.ask();
  }

  /** Stops serving changes; pending {@link reached} calls are rejected. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#tell();
    await this.#work.stop();
  }

  /** Calls the listener after each new version has been served. @returns removes the listener */
  onServed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves once definitions are served as of a version. @throws FollowingEndedError when it is stopped before */
  async reached(version: Version): Promise<void> {
    while (this.#version === undefined || this.#version < version) {
      if (this.#stopped) throw new FollowingEndedError('definitions are not served any more');
      await new Promise<void>((resolve) => {
        const end = this.onServed(() => {
          end();
          resolve();
        });
      });
    }
  }

  async #serve(): Promise<void> {
    const { informer } = this.options;
    for (;;) {
      const { version } = informer;
      if (version === undefined) return;
      const wanted = [...this.#changed].flatMap((name) => informer.definitions.get(name) ?? []);
      const unknown = wanted.filter((one) => this.#isServed(one) && !this.#types.has(typeKey(one)));
      const unmade = wanted.filter((one) => this.#isUnmade(one));
      if (unknown.length > 0) await this.#register(unknown);
      else if (unmade.length > 0) await this.#makeAhead(unmade);
      // In the same turn of the event loop in which the set of changes was found empty.
      else return this.#take(version);
    }
  }

  /** Whether nothing is served of it, made of it or known to be wrong with it, as of a new definition. */
  #isUnmade(definition: Definition): boolean {
    const { name, fingerprint } = definition;
    const isKnown = this.#made.get(name)?.fingerprint === fingerprint || this.#broken.get(name) === fingerprint;
    return this.#isServed(definition) && !this.#served.has(name) && !isKnown;
  }

  /**
   * Makes kinds of definitions that are not served yet, of which there may be thousands at once, and yields to other
   * work. Kinds of definitions that are served already are made anew as they are published.
   */
  async #makeAhead(definitions: readonly Definition[]): Promise<void> {
    const slices = new Slices();
    for (const definition of definitions) {
      const kind = this.#kindOf(definition);
      if (kind) this.#made.set(definition.name, { fingerprint: definition.fingerprint, kind });
      await slices.between();
    }
  }

  #isServed({ isServed, group, names }: Definition): boolean {
    return isServed && !this.options.isBuiltIn(group, names.plural);
  }

  async #register(definitions: readonly Definition[]): Promise<void> {
    const named = definitions.map(({ group, names: { plural: resource } }) => ({ group, resource }));
    const ids = await this.options.store.registerTypes(named);
    for (const [at, definition] of definitions.entries()) this.#types.set(typeKey(definition), ids[at] as TypeId);
  }

  #take(version: Version): void {
    const changes = [...this.#changed].flatMap((name) => this.#takeOne(name) ?? []);
    this.#changed.clear();
    this.#made.clear();
    if (changes.length > 0) this.options.publish(changes);
    this.#version = version;
    this.#tell();
  }

  /** Brings one definition up to date. @returns the change; undefined where nothing is to be published */
  #takeOne(name: string): DefinitionChange<E> | undefined {
    const definition = this.options.informer.definitions.get(name);
    const kind = definition && this.#isServed(definition) ? this.#kindOf(definition) : undefined;
    if (!definition) this.#broken.delete(name);
    const before = this.#served.get(name);
    if (!definition || !kind) {
      this.#served.delete(name);
      return before && { before, after: undefined };
    }
    const { endpoints, storage } = kind;
    const after = { definition, endpoints, storage };
    this.#served.set(name, after);
    return isAlike(definition, before?.definition) ? undefined : { before, after };
  }

  /** That which is served of it, unless it has changed; undefined where it cannot be made. */
  #kindOf(definition: Definition): CustomKind<E> | undefined {
    const { fingerprint, name } = definition;
    const before = this.#served.get(name);
    if (before?.definition.fingerprint === fingerprint) return before;
    const made = this.#made.get(name);
    if (made?.fingerprint === fingerprint) return made.kind;
    if (this.#broken.get(name) === fingerprint) return undefined;
    this.#broken.delete(name);
    try {
      return this.#make(definition);
    } catch (error) {
      this.#broken.set(name, fingerprint);
      this.options.onError(error);
      return undefined;
    }
  }

  #make(definition: Definition): CustomKind<E> {
    return this.options.make(definition, this.#types.get(typeKey(definition)) as TypeId);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

const typeKey = ({ group, names }: Definition): string => `${group}/${names.plural}`;

/** Whether two states of a definition are published alike. */
const isAlike = (a: Definition, b: Definition | undefined): boolean =>
  a.fingerprint === b?.fingerprint && a.isEstablished === b.isEstablished && a.isTerminating === b.isTerminating;
