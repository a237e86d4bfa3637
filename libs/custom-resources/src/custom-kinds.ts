import type { ControllerGroup } from '@orch/controllers';
import type { OrderedFeed } from '@orch/feed';
import type { InformerStore } from '@orch/informers';
import type { Names } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import type { Clock } from '@orch/runtime';
import type { ServingStore } from '@orch/storage';
import type { WritePipeline } from '@orch/writing';
import { Creations } from './creations.js';
import type { Definition } from './definition.js';
import { DefinitionCleaner } from './definition-cleaner.js';
import { DefinitionController } from './definition-controller.js';
import { DefinitionInformer } from './definition-informer.js';
import { DefinitionWriter } from './definition-writer.js';
import { type CustomKind, ServedDefinitions, type ServedDefinitionsOptions } from './served-definitions.js';
import { PRESENCE_MS, ServerPresence } from './server-presence.js';
import { StorageMigrator, type StorageMigratorOptions } from './storage-migrator.js';

interface CustomKindsOptions<E> extends Pick<ServedDefinitionsOptions<E>, 'make' | 'publish' | 'isBuiltIn'> {
  readonly store: InformerStore & Pick<ServingStore, 'registerTypes' | 'presence' | 'leastProgress'>;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  /** The endpoint of definitions, in the version that is stored. */
  readonly definitions: Endpoint;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Dependencies of the controller of definitions. */
interface DecidingOptions<E> {
  readonly names: Names;
  readonly pipeline: WritePipeline;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Deletes all objects of a kind. @returns how many are left, as finalizers keep them */
  empty(kind: CustomKind<E>, stopped: () => boolean): Promise<number>;
  /** Rewrites all objects of a kind that are stored in another version than the storage version. */
  readonly rewrite: StorageMigratorOptions<E>['rewrite'];
  readonly settlingMs: number;
  readonly onRewriting?: StorageMigratorOptions<E>['onRewriting'];
}

/** An object of a custom kind that is being made: to be called when it was written, or was not. */
type EndOfCreation = () => CreationVerdict;

/**
 * Whether a created object may stay: one that was written while other servers did not wait for this one must be deleted
 * again.
 */
type CreationVerdict = 'keep' | 'take back';

/**
 * Custom kinds as one process serves them: it follows the definitions and publishes its progress to the other servers.
 */
export class CustomKinds<E> {
  readonly #informer: DefinitionInformer;
  readonly #served: ServedDefinitions<E>;
  readonly #creations: Creations;
  readonly #presence: ServerPresence;

  constructor(private readonly options: CustomKindsOptions<E>) {
    const { store, feed, definitions: endpoint, onError, clock } = options;
    const common = { onError, ...(clock && { clock }) };
    this.#informer = new DefinitionInformer({ source: store, feed, endpoint, ...common });
    this.#served = new ServedDefinitions({ ...options, informer: this.#informer });
    this.#creations = new Creations(this.#informer, () => this.#presence.progressed());
    this.#presence = new ServerPresence({
      presence: store.presence(PRESENCE_MS),
      progress: () => this.#progress(),
      currentAsOf: () => this.#served.currentAsOf,
      catchUp: () => this.catchUp(),
      ...common,
    });
    this.#served.onServed(() => this.#presence.progressed());
  }

  /**
   * Begins to serve. Resolves when everything is served that was committed before the call, and the other servers count
   * on this one: only then it may answer requests.
   * @throws StoreUnavailableError
   */
  async start(): Promise<void> {
    this.#served.start();
    await this.#informer.start();
    await this.#presence.start();
  }

  /** To be called when no more requests are answered. */
  async stop(): Promise<void> {
    void this.#informer.stop();
    await this.#served.stop();
    await this.#presence.stop();
  }

  /** Whether some that are defined are not served, as their definitions cannot be read. */
  get isPartial(): boolean {
    return this.#informer.unreadable.size > 0;
  }

  /** Resolves when everything is served that was committed before the call. @throws StoreUnavailableError */
  async catchUp(): Promise<void> {
    await this.#served.reached(await this.#informer.confirm());
  }

  #progress() {
    const served = this.#served.version;
    return served === undefined
      ? undefined
      : { served, drained: this.#creations.drained(served), held: this.#creations.held };
  }

  /**
   * Admits a creation of an object of a custom kind; to be called before anything of the request is decided.
   * @throws StatusError 405 where the definition is being deleted, or has been; StoreUnavailableError where this server
   * cannot announce its presence to the others
   */
  async beginCreation(definition: Pick<Definition, 'name' | 'uid'>): Promise<EndOfCreation> {
    await this.#presence.join();
    const { joins } = this.#presence;
    const end = this.#creations.begin(definition);
    return () => {
      const isCounted = this.#presence.counts && this.#presence.joins === joins;
      end();
      return isCounted ? 'keep' : 'take back';
    };
  }

  /** Controllers that decide on definitions, and that migrate and delete their objects. */
  controllers({ empty, rewrite, settlingMs, onRewriting, ...writing }: DecidingOptions<E>): ControllerGroup {
    const { store, definitions: endpoint, isBuiltIn, onError, clock } = this.options;
    const common = { onError, ...(clock && { clock }) };
    const writer = new DefinitionWriter({ ...writing, endpoint });
    const working = {
      ...common,
      writer,
      kindOf: (definition: Definition) => this.#served.kindOf(definition),
      definitionOf: (name: string) => this.#informer.get(name),
    };
    const cleaner = new DefinitionCleaner<E>({ ...working, names: writing.names, empty, isBuiltIn });
    const migrator = new StorageMigrator<E>({
      ...working,
      ...{ rewrite, settlingMs },
      ...(onRewriting && { onRewriting }),
    });
    const leastProgress = () => store.leastProgress();
    const deciding = { ...common, informer: this.#informer, writer, cleaner, migrator, leastProgress };
    const { controller } = new DefinitionController(deciding);
    return { controllers: [controller, cleaner.controller, migrator.controller] };
  }
}
