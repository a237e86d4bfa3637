import { isDeepStrictEqual } from 'node:util';
import {
  BOOTSTRAP_LEVELS,
  type BootstrapObject,
  bootstrapSchemas,
  type FlowSchema,
  flowSchemaOf,
  priorityLevelOf,
} from '@orch/flowcontrol';
import type { ApiDeps } from '@orch/handlers';
import { type ApiObject, copy, type JsonObject, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { LeaderRounds, type Leadership } from '@orch/runtime/work';
import { serverItself, updateOwn } from '@orch/writing';
import type { FlowConfiguration } from './flow-configuration.js';

interface FlowKeeperOptions {
  readonly deps: Pick<ApiDeps, 'names' | 'pipeline' | 'now'>;
  readonly configuration: FlowConfiguration;
  readonly leadership: Pick<Leadership, 'renew' | 'giveBack'>;
  readonly onError: (error: unknown) => void;
}

/** Says whether an object that every installation has is brought back to what it is meant to be. */
const AUTO_UPDATE = 'apf.orch.io/autoupdate-spec';
const DANGLING = 'Dangling';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Keeps the flow schemas and priority levels that every installation has, and tells of schemas whether their level is there.
 * (k8s.io/apiserver, pkg/util/flowcontrol; k8s.io/kubernetes, pkg/registry/flowcontrol/ensurer)
 */
export class FlowKeeper {
  readonly #rounds: LeaderRounds;
  readonly #annotation: string;

  constructor(private readonly options: FlowKeeperOptions) {
    const { leadership, onError, deps } = options;
    this.#annotation = deps.names.key(AUTO_UPDATE);
    this.#rounds = new LeaderRounds({ leadership, round: (isNew) => this.#round(isNew), onError });
  }

  /** Resolves when all that every installation has is there. @throws StatusError, StoreUnavailableError */
  async keep(): Promise<void> {
    const { configuration, deps } = this.options;
    const { levels, schemas, endpoints } = configuration;
    const steps = [
      ...BOOTSTRAP_LEVELS.map((wanted) =>
        this.#step(endpoints.levels, wanted, levels.objects.get(wanted.name), priorityLevelOf),
      ),
      ...bootstrapSchemas(deps.names).map((wanted) =>
        this.#step(endpoints.schemas, wanted, schemas.objects.get(wanted.name), flowSchemaOf),
      ),
    ].filter((step) => step !== undefined);
    for (const step of steps) await step();
    if (steps.length > 0) await configuration.confirm();
  }

  start(): void {
    this.options.configuration.onChange(() => this.#rounds.ask());
    this.#rounds.ask();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(isNew: boolean): Promise<undefined> {
    if (isNew) await this.options.configuration.confirm();
    await this.keep();
    // Nobody is told that a level is not there which only cannot be read.
    if (this.options.configuration.levels.unreadable.size > 0) return;
    for (const { object, said } of this.options.configuration.schemas.objects.values())
      if (said) await this.#tell(object, said);
  }

  /** What brings one object to what is wanted; undefined for nothing, mostly. */
  #step<T>(
    endpoint: Endpoint,
    wanted: BootstrapObject<T>,
    live: { readonly object: ApiObject; readonly said: unknown } | undefined,
    read: (name: string, uid: string, spec: T) => unknown,
  ): (() => Promise<void>) | undefined {
    if (!live) return () => this.#create(endpoint, wanted);
    const uid = live.object.metadata?.uid ?? '';
    const isSame = isDeepStrictEqual(live.said, read(wanted.name, uid, wanted.spec));
    if (isSame || !this.#isKept(wanted, live.object)) return undefined;
    const own = { pipeline: this.options.deps.pipeline, endpoint };
    const spec = wanted.spec as JsonObject;
    return () => updateOwn(own, { name: wanted.name, uid }, '', (current) => ({ ...current, spec: copy(spec) }));
  }

  /** One that is not mandatory as long as nobody says otherwise, or has changed it. */
  #isKept({ isMandatory }: BootstrapObject<unknown>, { metadata }: ApiObject): boolean {
    const said = metadata?.annotations?.[this.#annotation];
    if (isMandatory) return true;
    return said === undefined ? metadata?.generation === 1 : said === 'true';
  }

  async #create(endpoint: Endpoint, { name, spec }: BootstrapObject<unknown>): Promise<void> {
    const request = {
      operation: 'CREATE',
      endpoint,
      key: { namespace: '', name },
      subresource: '',
      caller: serverItself(),
      options: { dryRun: false },
    } as const;
    const annotations = { [this.#annotation]: 'true' };
    const create = () => ({ metadata: { name, annotations }, spec: copy(spec as JsonObject) }) as ApiObject;
    await this.options.deps.pipeline.write(request, { create }).catch((error: unknown) => {
      // Another server has made it meanwhile.
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
    });
  }

  async #tell(object: ApiObject, schema: FlowSchema): Promise<void> {
    const { configuration, deps } = this.options;
    const isThere = configuration.levels.objects.get(schema.priorityLevel)?.said !== undefined;
    const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(schema.priorityLevel)}`;
    const told = {
      type: DANGLING,
      status: isThere ? 'False' : 'True',
      reason: isThere ? 'Found' : 'NotFound',
      message: isThere ? `${named} and it exists` : `${named} but there is no such object`,
    };
    const conditions = conditionsOf(object);
    const before = conditions.find(({ type }) => type === DANGLING);
    if (
      before &&
      isDeepStrictEqual({ ...before, lastTransitionTime: undefined }, { ...told, lastTransitionTime: undefined })
    )
      return;
    const condition = { ...told, lastTransitionTime: `${new Date(deps.now()).toISOString().slice(0, 19)}Z` };
    const own = { pipeline: deps.pipeline, endpoint: configuration.endpoints.schemas };
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
