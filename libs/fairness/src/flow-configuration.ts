import type { OrderedFeed } from '@orch/feed';
import {
  type FlowController,
  type FlowSchema,
  type PriorityLevel,
  readFlowSchema,
  readPriorityLevel,
} from '@orch/flowcontrol';
import type { ApiDeps } from '@orch/handlers';
import { type InformerStore, StoreInformer } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, fromStored, storedEndpoint } from '@orch/resources';

const GROUP = 'flowcontrol.apiserver.orch.io';

interface FlowConfigurationOptions {
  readonly deps: Pick<ApiDeps, 'names' | 'served' | 'unserved'>;
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly controller: Pick<FlowController, 'configure'>;
  readonly onError: (error: unknown) => void;
}

/** An object and its parsed spec. */
interface Read<T> {
  readonly object: ApiObject;
  /** undefined where it makes no sense. */
  readonly parsed: T | undefined;
}

/** Follows flow schemas and priority levels, and configures flow control with them. */
export class FlowConfiguration {
  /** Informer of flow schemas. */
  readonly schemas: StoreInformer<Read<FlowSchema>>;
  /** Informer of priority levels. */
  readonly levels: StoreInformer<Read<PriorityLevel>>;
  /** Endpoints of both kinds, in the storage version. */
  readonly endpoints: { readonly schemas: Endpoint; readonly levels: Endpoint };

  constructor(private readonly options: FlowConfigurationOptions) {
    const { deps } = options;
    this.endpoints = {
      schemas: storedEndpoint(deps, GROUP, 'flowschemas'),
      levels: storedEndpoint(deps, GROUP, 'prioritylevelconfigurations'),
    };
    this.schemas = this.#follow(this.endpoints.schemas, readFlowSchema);
    this.levels = this.#follow(this.endpoints.levels, readPriorityLevel);
  }

  /** Resolves when all of them are known. */
  async start(): Promise<void> {
    await Promise.all([this.schemas.start(), this.levels.start()]);
    this.#configure();
    this.onChange(() => this.#configure());
  }

  /** Stops following; flow control keeps its configuration. */
  stop(): void {
    void this.schemas.stop();
    void this.levels.stop();
  }

  /** Resolves when everything is known that was committed before the call. @throws StoreUnavailableError */
  async confirm(): Promise<void> {
    await Promise.all([this.schemas.confirm(), this.levels.confirm()]);
  }

  /** Adds a listener that is called after every change. */
  onChange(listener: () => void): void {
    this.schemas.onChange(listener);
    this.levels.onChange(listener);
  }

  #configure(): void {
    const parsedOf = <T>({ objects }: StoreInformer<Read<T>>) =>
      [...objects.values()].flatMap((read) => read.parsed ?? []);
    this.options.controller.configure(parsedOf(this.levels), parsedOf(this.schemas));
  }

  #follow<T>(endpoint: Endpoint, read: (object: ApiObject) => T | undefined): StoreInformer<Read<T>> {
    const { store, feed, onError } = this.options;
    return new StoreInformer<Read<T>>({
      ...{ source: store, feed, type: endpoint.type, onError },
      read(row) {
        const object = fromStored(row, endpoint);
        return { object, parsed: read(object) };
      },
    });
  }
}
