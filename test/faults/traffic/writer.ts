import { ApiError, type Client, type ResourceRef } from '@orch/client';
import {
  contentsPatch,
  flagPatch,
  type Kind,
  keyOf,
  manifest,
  type ObjectState,
  printOf,
  readState,
  type WireObject,
} from '../model/object-state.js';
import type { Write, WriteCall, WriteOutcome } from '../model/records.js';
import type { Random } from '../random.js';
import {
  isRefusal,
  mayPass,
  NAMES,
  NAMESPACES,
  REASONS,
  refOf,
  rest,
  type Server,
  TIERS,
  type Traffic,
} from './context.js';

const CALLS = { create: 20, replace: 25, patch: 20, flag: 10, delete: 12, get: 13 } as const;

/** Longest pause between two calls, ms. */
const MAX_PAUSE = 40;

/** An object that is written to, or may be. */
export interface Target {
  /** Name of the kind in records. */
  readonly kind: string;
  /** Kind whose members its objects have. */
  readonly shape: Kind;
  /** Its collection, as it is asked for. */
  readonly ref: ResourceRef;
  /** Empty for objects of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** Additional members of bodies, besides those of the shape. */
  readonly more?: { readonly apiVersion: string; readonly kind: string };
}

/** Draws one of the objects that the torture's writers share. */
function sharedTarget(random: Random): Target {
  const kind = random.chance(0.5) ? 'configmaps' : 'events';
  const [namespace, name] = [random.pick(NAMESPACES), random.pick(NAMES)];
  return { kind, shape: kind, ref: refOf(kind, namespace), namespace, name };
}

/** A writer's knowledge of an object, possibly stale. */
interface Known {
  readonly state: ObjectState;
  readonly version: number;
}

/**
 * Creates, replaces, patches, deletes and reads a few objects that all writers share, with and without preconditions, and
 * records what it knows of each call. Whoever answers: the load balancer, or an api-server asked directly.
 */
export class Writer {
  readonly #known = new Map<string, Known>();
  #serial = 0;

  constructor(
    private readonly id: string,
    private readonly traffic: Traffic,
    private readonly random: Random,
    private readonly pick: (random: Random) => Target = sharedTarget,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#step();
      await rest(this.random.next() * MAX_PAUSE, signal);
    }
  }

  async #step(): Promise<void> {
    const { random, traffic } = this;
    const target = this.pick(random);
    const server = random.chance(0.7) ? traffic.balanced : random.pick(traffic.direct);
    const call = random.weighted(CALLS);
    if (call === 'get') return this.#read(server, target);
    await this.#write(call, server, target);
  }

  async #read({ client }: Server, { kind, ref, namespace, name }: Target): Promise<void> {
    const key = keyOf({ namespace, name });
    const start = performance.now();
    const record = (found?: { version: number; print: string }) =>
      this.traffic.reads.push({ kind, key, start, end: performance.now(), ...(found && { found }) });
    try {
      const { version, state } = this.#remember(kind, key, await client.get(ref, name));
      record({ version, print: printOf(state) });
    } catch (error) {
      if (isAbsence(error)) record();
      else if (!isUnserved(error) && !mayPass(error)) throw error;
    }
  }

  async #write(call: WriteCall, { client }: Server, target: Target): Promise<void> {
    const { kind, namespace, name } = target;
    const { random } = this;
    const key = keyOf({ namespace, name });
    const known = this.#known.get(`${kind} ${key}`);
    const stamp = `${this.id}.${this.#serial++}`;
    const flag = call === 'flag' ? random.pick(['on', 'off']) : undefined;
    const precondition = known && call !== 'create' && call !== 'flag' ? this.#precondition(known) : undefined;
    const start = performance.now();
    const outcome = await this.#send(call, client, target, { stamp, flag, precondition });
    const write: Write = {
      kind,
      key,
      call,
      stamp,
      start,
      end: performance.now(),
      outcome,
      ...(flag !== undefined && { flag }),
      ...(precondition && { precondition }),
    };
    this.traffic.writes.push(write);
    if (outcome.at === 'committed') this.traffic.learn(kind, outcome.version);
  }

  #precondition({ version, state }: Known): Write['precondition'] {
    switch (this.random.weighted({ none: 4, version: 3, uid: 2, both: 1 })) {
      case 'none':
        return undefined;
      case 'version':
        return { version };
      case 'uid':
        return { uid: state.uid };
      case 'both':
        return { version, uid: state.uid };
    }
  }

  async #send(
    call: WriteCall,
    client: Client,
    { kind, shape, ref, namespace, name, more }: Target,
    { stamp, flag, precondition }: Pick<Write, 'stamp'> & Partial<Pick<Write, 'flag' | 'precondition'>>,
  ): Promise<WriteOutcome> {
    const { random } = this;
    const contents = { stamp, tier: random.pick(TIERS), reason: shape === 'events' ? random.pick(REASONS) : '' };
    const metadata = {
      ...(precondition?.version !== undefined && { resourceVersion: String(precondition.version) }),
      ...(precondition?.uid !== undefined && { uid: precondition.uid }),
    };
    const padding = () => (random.chance(0.1) ? 'x'.repeat(8192) : '');
    const whole = () => ({ ...more, ...manifest(shape, namespace, name, { ...contents, flag: 'new' }, padding()) });
    try {
      switch (call) {
        case 'create':
          return this.#committed(kind, await client.create(ref, whole()));
        case 'replace': {
          const object = whole();
          return this.#committed(
            kind,
            await client.update(ref, { ...object, metadata: { ...object.metadata, ...metadata } }),
          );
        }
        case 'patch': {
          const patch = contentsPatch(shape, contents);
          const body = { ...patch, metadata: { ...patch.metadata, ...metadata } };
          return this.#committed(kind, await client.patch(ref, name, 'merge', body));
        }
        case 'flag':
          return this.#committed(kind, await client.patch(ref, name, 'merge', flagPatch(shape, flag ?? '')));
        case 'delete': {
          const gone = await client.delete(ref, name, precondition ? { preconditions: metadata } : {});
          return { at: 'deleted', uid: uidOf(gone) };
        }
      }
    } catch (error) {
      if (isRefusal(error)) return { at: 'refused', code: error.code, reason: reasonOf(error), message: error.message };
      if (mayPass(error)) return { at: 'unknown' };
      throw error;
    }
  }

  #committed(kind: string, object: WireObject): WriteOutcome {
    const { version, state } = this.#remember(kind, keyOf(readState(object)), object);
    return { at: 'committed', version, print: printOf(state) };
  }

  #remember(kind: string, key: string, object: WireObject): Known {
    const known = { state: readState(object), version: Number(object.metadata?.resourceVersion) };
    this.#known.set(`${kind} ${key}`, known);
    return known;
  }
}

/** Whether an object is said not to be there; a path that is not served says nothing of it. */
const isAbsence = (error: unknown): boolean => error instanceof ApiError && reasonOf(error) === 'NotFound';

const isUnserved = (error: unknown): boolean => error instanceof ApiError && error.code === 404;

const reasonOf = ({ reason, status }: ApiError): string =>
  reason === 'NotFound' && status.details?.name === undefined ? '' : reason;

/** A deletion is answered with a Status that names what is gone. */
function uidOf(answer: { readonly kind?: string; readonly details?: unknown }): string {
  const details = answer.details as { uid?: string } | undefined;
  if (answer.kind !== 'Status' || details?.uid === undefined) {
    throw new Error(`a deletion was answered with ${JSON.stringify(answer)}`);
  }
  return details.uid;
}
