import type { Client } from '@orch/client';
import { type ApiObject, formatTime } from '@orch/machinery';
import type { Clock, Logger } from '@orch/runtime';
import { TokenBucket } from '@orch/runtime/work';
import type { ObjectReference, Pod } from '@orch/schema/types/core/v1';
import { uidOf } from '../identity.js';
import type { EventSink, EventType } from './event-sink.js';

/** Settings of an {@link EventRecorder}. */
interface EventRecorderSettings {
  /** Client of the API, for events alone. */
  readonly client: Pick<Client, 'create' | 'patch'>;
  /** Name of the node, the source of the events. */
  readonly nodeName: string;
  /** Events per second. */
  readonly qps: number;
  /** Events that may be created at once. */
  readonly burst: number;
  /** Clock of times and limits. */
  readonly clock: Clock;
  /** Logs events that cannot be written. */
  readonly logger: Logger;
}

/** An event that was written, to be counted when it is repeated. */
interface Written {
  readonly name: string;
  readonly namespace: string;
  count: number;
  lastAt: number;
}

/** Events of one object and reason that differ by their message. */
interface Similar {
  readonly messages: Set<string>;
  since: number;
}

/** Events of an object so far. */
interface KnownObject {
  readonly limit: TokenBucket;
  readonly written: Map<string, Written>;
  readonly similar: Map<string, Similar>;
}

const COMPONENT = 'kubelet';
/** Alike events within a time from which on they become one. */
const MAX_SIMILAR = 10;
const SIMILAR_MS = 600_000;
/** Events of one object: so many at once, then one each five minutes. */
const OBJECT_BURST = 25;
const OBJECT_PER_SECOND = 1 / 300;
/** Objects, events of an object, and events that wait, at most; of more the oldest are forgotten. */
const MAX_KNOWN = 4096;
const MAX_OF_OBJECT = 256;
const MAX_WAITING = 1000;

/** Writes events into the API: repeated ones are counted, alike ones joined, and too many left out. */
export class EventRecorder implements EventSink {
  readonly #objects = new Map<string, KnownObject>();
  readonly #rate: TokenBucket;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #stopped = false;
  #count = 0;

  constructor(private readonly settings: EventRecorderSettings) {
    const { qps, burst, clock } = settings;
    this.#rate = new TokenBucket(qps, burst, () => clock.now());
  }

  ofPod(pod: Pod, type: EventType, reason: string, message: string, container?: string): void {
    const { resourceVersion } = pod.metadata ?? {};
    const reference: ObjectReference = {
      ...referenceOf(pod),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(container !== undefined && { fieldPath: container }),
    };
    this.#record(reference, type, reason, message);
  }

  ofNode(type: EventType, reason: string, message: string): void {
    const { nodeName } = this.settings;
    // The uid of a node in events is its name, by which tools look for them.
    this.#record({ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName }, type, reason, message);
  }

  forget(pod: Pod): void {
    // What waits is about it, too.
    this.#last = this.#last.then(() => void this.#objects.delete(keyOf(referenceOf(pod))));
  }

  /** Number of objects of which events are remembered. */
  get size(): number {
    return this.#objects.size;
  }

  /** Drops what has not been written. Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#last;
  }

  #record(object: ObjectReference, type: EventType, reason: string, message: string): void {
    if (this.#stopped || this.#waiting >= MAX_WAITING || !this.#known(object).limit.take()) return;
    this.#waiting++;
    const at = this.settings.clock.wall();
    this.#last = this.#last.then(async () => {
      this.#waiting--;
      if (!this.#stopped) await this.#write(object, { type, reason, message, at });
    });
  }

  #known(object: ObjectReference): KnownObject {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (known) return known;
    const limit = new TokenBucket(OBJECT_PER_SECOND, OBJECT_BURST, () => this.settings.clock.now());
    const made = { limit, written: new Map(), similar: new Map() };
    remember(this.#objects, key, made, MAX_KNOWN);
    return made;
  }

  async #write(object: ObjectReference, event: { type: string; reason: string; message: string; at: number }) {
    const { logger, clock } = this.settings;
    if (!this.#rate.take()) return;
    const message = this.#joined(object, event);
    const key = [object.fieldPath, event.type, event.reason, message].join('\n');
    const { written } = this.#known(object);
    try {
      const known = written.get(key);
      if (known) await this.#repeat(known, message, event.at);
      else remember(written, key, await this.#create(object, { ...event, message }), MAX_OF_OBJECT);
    } catch (error) {
      // One that has expired in the API is created anew.
      written.delete(key);
      logger.v(2)?.info('an event cannot be written', { reason: event.reason, err: String(error), at: clock.now() });
    }
  }

  /** Returns the message, or one for all alike events where there are many of them. */
  #joined(
    object: ObjectReference,
    { type, reason, message, at }: { type: string; reason: string; message: string; at: number },
  ): string {
    const key = [object.fieldPath, type, reason].join('\n');
    const all = this.#known(object).similar;
    const known = all.get(key);
    const similar = known && at - known.since < SIMILAR_MS ? known : { messages: new Set<string>(), since: at };
    similar.since = at;
    similar.messages.add(message);
    remember(all, key, similar, MAX_OF_OBJECT);
    if (similar.messages.size < MAX_SIMILAR) return message;
    similar.messages.delete(similar.messages.values().next().value ?? '');
    return `(combined from similar events): ${message}`;
  }

  async #create(
    object: ObjectReference,
    { type, reason, message, at }: { type: string; reason: string; message: string; at: number },
  ) {
    const { client, nodeName } = this.settings;
    const namespace = object.namespace || 'default';
    const name = `${object.name}.${(BigInt(at) * 1_000_000n + BigInt(this.#count++ % 1_000_000)).toString(16)}`;
    const time = formatTime(at);
    const event: ApiObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: object,
      ...{ type, reason, message, count: 1, firstTimestamp: time, lastTimestamp: time },
      source: { component: COMPONENT, host: nodeName },
      ...{ reportingComponent: COMPONENT, reportingInstance: nodeName },
    };
    await client.create({ group: '', version: 'v1', resource: 'events', namespace }, event);
    return { name, namespace, count: 1, lastAt: at };
  }

  async #repeat(known: Written, message: string, at: number): Promise<void> {
    const ref = { group: '', version: 'v1', resource: 'events', namespace: known.namespace };
    const patch = { count: known.count + 1, lastTimestamp: formatTime(at), message };
    await this.settings.client.patch(ref, known.name, 'strategic', patch);
    known.count++;
    known.lastAt = at;
  }
}

function referenceOf(pod: Pod): ObjectReference {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  return { apiVersion: 'v1', kind: 'Pod', name, namespace, uid: uidOf(pod) };
}

const keyOf = ({ kind = '', namespace = '', name = '', uid = '' }: ObjectReference): string =>
  `${kind} ${namespace}/${name} ${uid}`;

/** Keeps a value as the newest, and not too many. */
function remember<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value ?? '');
}
