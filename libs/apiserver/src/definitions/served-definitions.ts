import { FollowingEndedError } from '@orch/feed';
import type { Clock } from '@orch/runtime';
import type { Store, TypeId, Version } from '@orch/storage';
import type { Definition } from './definition.js';
import type { DefinitionFollower } from './definition-follower.js';
import { WorkOnDemand } from './work-on-demand.js';

/** What is made of one definition. */
export interface CustomKind<E> {
  /** One for each version that is served. */
  readonly endpoints: readonly E[];
  /** Through which its objects are deleted, whichever versions are served. */
  readonly storage: E;
}

/** A definition, and what is served of it. */
export interface ServedDefinition<E> extends CustomKind<E> {
  readonly definition: Definition;
}

export interface ServedDefinitionsOptions<E> {
  readonly follower: DefinitionFollower;
  readonly store: Pick<Store, 'registerTypes'>;
  /**
   * Makes the endpoints of a definition, in whose type objects are stored. What it throws is told, and nothing is served of the
   * definition until it changes.
   */
  make(definition: Definition, type: TypeId): CustomKind<E>;
  /**
   * Serves these from now on, and nothing else of definitions. A definition that has not changed has the same endpoints as before,
   * the very objects. Discovery and OpenAPI tell of those that are established, and of none that is terminating that it
   * can be created. Must not throw.
   */
  publish(served: readonly ServedDefinition<E>[]): void;
  /** Of built-in resources nothing is served by definition: their types hold what is not the definition's. */
  isBuiltIn(group: string, resource: string): boolean;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

interface Made<E> {
  readonly fingerprint: string;
  /** Undefined where it could not be made. */
  readonly kind: CustomKind<E> | undefined;
}

/** Serves what definitions say, as they change: endpoints are made for those that are new or others now. */
export class ServedDefinitions<E> {
  readonly #work: WorkOnDemand;
  readonly #types = new Map<string, TypeId>();
  readonly #listeners = new Set<() => void>();
  #made = new Map<string, Made<E>>();
  #served: readonly ServedDefinition<E>[] = [];
  #version: Version | undefined;
  #currentAsOf = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(private readonly options: ServedDefinitionsOptions<E>) {
    const { onError, clock } = options;
    this.#work = new WorkOnDemand(() => this.#serve(), { onError, ...(clock && { clock }) });
  }

  /** Which state of the definitions is served; undefined before the first. */
  get version(): Version | undefined {
    return this.#version;
  }

  /** When what is served was last known to be all there was, monotonic milliseconds. */
  get currentAsOf(): number {
    const { version, confirmedAt } = this.options.follower;
    if (version === this.#version && confirmedAt !== undefined) this.#currentAsOf = confirmedAt;
    return this.#currentAsOf;
  }

  /** The kind of a definition, whether it is served or not. @throws what keeps it from being made; StoreUnavailableError */
  async kindOf(definition: Definition): Promise<CustomKind<E>> {
    const made = this.#made.get(definition.name);
    if (made?.kind && made.fingerprint === definition.fingerprint) return made.kind;
    if (!this.#types.has(typeKey(definition))) await this.#register([definition]);
    return this.#make(definition);
  }

  /** Begins to serve what the follower knows. */
  start(): void {
    this.options.follower.onChange(() => this.#work.ask());
    this.#work.ask();
  }

  /** Whoever waits for a version is told that it does not come. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#tell();
    await this.#work.stop();
  }

  /** Calls back when what is served is of a later version. @returns what ends it */
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
    const { follower } = this.options;
    for (;;) {
      const { version } = follower;
      if (version === undefined) return;
      const wanted = [...follower.definitions.values()].filter((definition) => this.#isServed(definition));
      const unknown = wanted.filter((definition) => !this.#types.has(typeKey(definition)));
      if (unknown.length === 0) return this.#take(wanted, version);
      await this.#register(unknown);
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

  #take(wanted: readonly Definition[], version: Version): void {
    const made = new Map(wanted.map((definition) => [definition.name, this.#madeOf(definition)]));
    const served = wanted.flatMap((definition) => {
      const kind = made.get(definition.name)?.kind;
      return kind ? [{ ...kind, definition }] : [];
    });
    const isSame = served.length === this.#served.length && served.every((one, at) => isAlike(one, this.#served[at]));
    this.#made = made;
    this.#served = served;
    if (!isSame) this.options.publish(served);
    this.#version = version;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #madeOf(definition: Definition): Made<E> {
    const { fingerprint, name } = definition;
    const before = this.#made.get(name);
    if (before?.fingerprint === fingerprint) return before;
    try {
      return { fingerprint, kind: this.#make(definition) };
    } catch (error) {
      this.options.onError(error);
      return { fingerprint, kind: undefined };
    }
  }

  #make(definition: Definition): CustomKind<E> {
    return this.options.make(definition, this.#types.get(typeKey(definition)) as TypeId);
  }
}

const typeKey = ({ group, names }: Definition): string => `${group}/${names.plural}`;

/** Whether nobody has to be told. */
function isAlike<E>(one: ServedDefinition<E>, other: ServedDefinition<E> | undefined): boolean {
  const [a, b] = [one.definition, other?.definition];
  return (
    one.endpoints === other?.endpoints && a.isEstablished === b?.isEstablished && a.isTerminating === b.isTerminating
  );
}
