import { isDeepStrictEqual } from 'node:util';
import { type Controller, type ControllerSource, informerSource } from '@orch/controllers';
import {
  BOOTSTRAP_LEVELS,
  type BootstrapFlowObject,
  bootstrapSchemas,
  type FlowSchema,
  type FlowSchemaSpec,
  flowSchemaOf,
  type PriorityLevelSpec,
  priorityLevelOf,
} from '@orch/flowcontrol';
import type { ApiDeps } from '@orch/handlers';
import { type ApiObject, copy, type JsonObject, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { type OwnRun, serverIn, serverItself, updateOwn } from '@orch/writing';
import type { FlowConfiguration } from './flow-configuration.js';

interface FlowKeeperOptions {
  readonly deps: Pick<ApiDeps, 'names' | 'pipeline' | 'now'>;
  readonly configuration: FlowConfiguration;
}

/** Annotation that says whether a default object is reset to its default spec. */
const AUTO_UPDATE = 'apf.orch.io/autoupdate-spec';
const DANGLING = 'Dangling';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

/** A default object, and the function that parses its stored form. */
interface Bootstrap<T> {
  readonly endpoint: Endpoint;
  readonly wanted: BootstrapFlowObject<T>;
  readonly read: (name: string, uid: string, spec: T) => unknown;
}

/** Waits until an object that could not be written is tried again, milliseconds. */
const RETRY = { firstMs: 250, longestMs: 5_000 };

/**
 * Maintains the default flow schemas and priority levels, and the condition of schemas that says whether their level
 * exists; as the server itself, which does this in kube-apiserver, too. (k8s.io/apiserver, pkg/util/flowcontrol;
 * k8s.io/kubernetes, pkg/registry/flowcontrol/ensurer)
 */
export class FlowKeeper {
  /** The controller of levels and that of schemas. */
  readonly controllers: readonly Controller[];
  readonly #annotation: string;
  /** Default schemas, in the names of the installation. */
  readonly #schemas: readonly BootstrapFlowObject<FlowSchemaSpec>[];

  constructor(private readonly options: FlowKeeperOptions) {
    const { deps, configuration } = options;
    const { levels, schemas } = configuration;
    this.#annotation = deps.names.key(AUTO_UPDATE);
    this.#schemas = bootstrapSchemas(deps.names);
    this.controllers = [
      {
        name: 'prioritylevelconfiguration',
        sources: [withBootstrap(informerSource(levels), BOOTSTRAP_LEVELS)],
        retry: RETRY,
        reconcile: (name, run) => this.#keepLevel(name, run),
      },
      {
        name: 'flowschema',
        sources: [
          withBootstrap(informerSource(schemas), this.#schemas),
          // Any level that comes or goes: none is reported missing while one cannot be read.
          levelSource(configuration),
        ],
        retry: RETRY,
        reconcile: (name, run) => this.#keepSchema(name, run),
      },
    ];
  }

  /** Resolves when all default objects exist. @throws StatusError, StoreUnavailableError */
  async keep(): Promise<void> {
    const { configuration } = this.options;
    const { levels, schemas } = configuration;
    const steps = [
      ...BOOTSTRAP_LEVELS.map((wanted) => this.#step(this.#level(wanted), levels.objects.get(wanted.name))),
      ...this.#schemas.map((wanted) => this.#step(this.#schema(wanted), schemas.objects.get(wanted.name))),
    ].filter((step) => step !== undefined);
    for (const step of steps) await step();
    if (steps.length > 0) await configuration.confirm();
  }

  async #keepLevel(name: string, run: OwnRun): Promise<undefined> {
    const wanted = BOOTSTRAP_LEVELS.find((level) => level.name === name);
    const live = this.options.configuration.levels.objects.get(name);
    await (wanted && this.#step(this.#level(wanted), live, run))?.();
  }

  async #keepSchema(name: string, run: OwnRun): Promise<undefined> {
    const { levels, schemas } = this.options.configuration;
    const wanted = this.#schemas.find((schema) => schema.name === name);
    const live = schemas.objects.get(name);
    await (wanted && this.#step(this.#schema(wanted), live, run))?.();
    // A level that merely cannot be read is not reported missing.
    if (live?.parsed && levels.unreadable.size === 0) await this.#tell(live.object, live.parsed, run);
  }

  #level(wanted: BootstrapFlowObject<PriorityLevelSpec>): Bootstrap<PriorityLevelSpec> {
    return { endpoint: this.options.configuration.endpoints.levels, wanted, read: priorityLevelOf };
  }

  #schema(wanted: BootstrapFlowObject<FlowSchemaSpec>): Bootstrap<FlowSchemaSpec> {
    return { endpoint: this.options.configuration.endpoints.schemas, wanted, read: flowSchemaOf };
  }

  /** Returns the write that brings one object to its desired state; usually undefined for none. */
  #step<T>(
    { endpoint, wanted, read }: Bootstrap<T>,
    live: { readonly object: ApiObject; readonly parsed: unknown } | undefined,
    run?: OwnRun,
  ): (() => Promise<void>) | undefined {
    if (!live) return () => this.#create(endpoint, wanted, run);
    const uid = live.object.metadata?.uid ?? '';
    const isSame = isDeepStrictEqual(live.parsed, read(wanted.name, uid, wanted.spec));
    if (isSame || !this.#isKept(wanted, live.object)) return undefined;
    const own = { pipeline: this.options.deps.pipeline, endpoint, ...(run && { run }) };
    const spec = wanted.spec as JsonObject;
    return () => updateOwn(own, { name: wanted.name, uid }, '', (current) => ({ ...current, spec: copy(spec) }));
  }

  /**
   * Whether an object is reset to its default: always if mandatory, else as its annotation says, and without one as
   * long as it was never changed.
   */
  #isKept({ isMandatory }: BootstrapFlowObject<unknown>, { metadata }: ApiObject): boolean {
    const said = metadata?.annotations?.[this.#annotation];
    if (isMandatory) return true;
    return said === undefined ? metadata?.generation === 1 : said === 'true';
  }

  async #create(endpoint: Endpoint, { name, spec }: BootstrapFlowObject<unknown>, run?: OwnRun): Promise<void> {
    const request = {
      operation: 'CREATE',
      endpoint,
      key: { namespace: '', name },
      subresource: '',
      caller: run ? serverIn(run) : serverItself(),
      options: { dryRun: false },
    } as const;
    const annotations = { [this.#annotation]: 'true' };
    const create = () => ({ metadata: { name, annotations }, spec: copy(spec as JsonObject) }) as ApiObject;
    await this.options.deps.pipeline.write(request, { create }).catch((error: unknown) => {
      // Another server has made it meanwhile.
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
    });
  }

  async #tell(object: ApiObject, schema: FlowSchema, run: OwnRun): Promise<void> {
    const { configuration, deps } = this.options;
    const isThere = configuration.levels.objects.get(schema.priorityLevel)?.parsed !== undefined;
    const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(schema.priorityLevel)}`;
    const evaluated = {
      type: DANGLING,
      status: isThere ? 'False' : 'True',
      reason: isThere ? 'Found' : 'NotFound',
      message: isThere ? `${named} and it exists` : `${named} but there is no such object`,
    };
    const conditions = conditionsOf(object);
    const before = conditions.find(({ type }) => type === DANGLING);
    if (
      before &&
      isDeepStrictEqual({ ...before, lastTransitionTime: undefined }, { ...evaluated, lastTransitionTime: undefined })
    )
      return;
    const condition = { ...evaluated, lastTransitionTime: `${new Date(deps.now()).toISOString().slice(0, 19)}Z` };
    const own = { pipeline: deps.pipeline, endpoint: configuration.endpoints.schemas, run };
    await updateOwn(own, { name: schema.name, uid: schema.uid }, 'status', (current) => ({
      ...current,
      status: {
        conditions: [
          ...conditionsOf(current).filter(({ type }) => type !== DANGLING),
          condition,
        ] as unknown as JsonObject[],
      },
    }));
  }
}

const conditionsOf = ({ status }: ApiObject): readonly Condition[] =>
  (status as { conditions?: readonly Condition[] } | undefined)?.conditions ?? [];

/** Wakes a controller also with the names of default objects that do not exist. */
const withBootstrap = (
  source: ControllerSource,
  wanted: readonly BootstrapFlowObject<unknown>[],
): ControllerSource => ({
  ...source,
  keys: () => new Set([...source.keys(), ...wanted.map(({ name }) => name)]),
});

/** Wakes a controller with the names of all schemas when a level changes. */
const levelSource = ({ levels, schemas }: FlowConfiguration): ControllerSource => ({
  subscribe: (enqueue) =>
    levels.onChange(() => {
      for (const name of schemas.objects.keys()) enqueue(name);
    }),
  keys: () => [],
  async confirm() {
    await levels.confirm();
  },
});
