import type { AnnouncedChange, ChangeBus, MessageRefusal } from '@orch/feed';
import type { CounterSeries, HistogramSeries, Metrics, Tracing } from '@orch/runtime';
import { LATENCY_BUCKETS } from '@orch/runtime';
import type { Change, TypeId } from '@orch/storage';
import type { Flush, FrameEncoder, WatchObserver } from '@orch/watchcache';
import { type WatchedKind, watchedKinds } from './watched-kinds.js';

const KIND = ['group', 'version', 'kind'] as const;
const EVENT_SIZES = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const UNKNOWN: WatchedKind = { group: '', version: '', kind: '' };

interface EventSeries {
  readonly events: CounterSeries;
  readonly sizes: HistogramSeries;
}

/**
 * Measures and traces changes from their commit to the sockets of watchers. It does no work for a single watcher:
 * deliveries to a cohort are counted once, times its watchers.
 */
export class DeliveryObserver implements WatchObserver {
  readonly #tracing: Tracing | undefined;
  readonly #legs: Readonly<Record<'publish' | 'ring' | 'socket', HistogramSeries>>;
  readonly #flushes: HistogramSeries;
  readonly #dropped: CounterSeries;
  readonly #reread: CounterSeries;
  readonly #refused: (reason: MessageRefusal) => void;
  readonly #seriesOf: (kind: WatchedKind) => EventSeries;
  readonly #byEncoder = new WeakMap<FrameEncoder, EventSeries>();
  /** Monotonic ms of a commit whose changes are being announced in the current turn. */
  #announcing: number | undefined;

  constructor(metrics: Metrics, tracing: Tracing | undefined) {
    this.#tracing = tracing;
    const legs = metrics.histogram({
      name: 'orch_delivery_leg_seconds',
      help: 'Latency of a change on each leg: publish (from the commit to the bus), ring (from the commit to the memory of this process; by the clock of the database if another process committed), socket (from the ring to the sockets of a cohort of watchers).',
      labels: ['leg'] as const,
      buckets: LATENCY_BUCKETS,
    });
    this.#legs = { publish: legs.with('publish'), ring: legs.with('ring'), socket: legs.with('socket') };
    this.#flushes = metrics
      .histogram({
        name: 'orch_delivery_flush_seconds',
        help: 'Time to write gathered events to the sockets of a cohort: up to 128 watchers with the same selection.',
        labels: [] as const,
        buckets: LATENCY_BUCKETS,
      })
      .with();
    this.#dropped = metrics
      .counter({
        name: 'orch_feed_dropped_announcements_total',
        help: 'Number of changes that were not announced, because the bus was not connected or its buffer was full; other processes read them from the database.',
        labels: [] as const,
      })
      .with();
    this.#reread = metrics
      .counter({
        name: 'orch_feed_reread_messages_total',
        help: 'Number of messages that were read from the stream of the bus after a short loss of the connection, including repeated ones.',
        labels: [] as const,
      })
      .with();
    this.#refused = refusals(metrics);
    this.#seriesOf = eventSeries(metrics);
  }

  /** Announces committed changes. */
  publish(bus: ChangeBus, changes: readonly Change[]): void {
    const began = performance.now();
    const cause = this.#tracing?.current?.traceparent;
    const span =
      cause === undefined ? undefined : this.#tracing?.start('publish', { causes: [cause], role: 'producer' });
    this.#announcing = began;
    try {
      bus.publish(span ? changes.map((change) => ({ ...change, trace: span.traceparent })) : changes);
    } finally {
      this.#announcing = undefined;
      span?.end();
    }
  }

  /** Records the milliseconds from a commit until the message bus has accepted its announcement. */
  taken(ms: number): void {
    this.#legs.publish.observe(ms / 1000);
  }

  /** Counts changes whose announcement on the bus was dropped. */
  dropped(changes: number): void {
    this.#dropped.inc(changes);
  }

  /** Counts a bus message that was rejected as not authentic. */
  refused(reason: MessageRefusal): void {
    this.#refused(reason);
  }

  /** Counts messages that were read from the stream again after a loss of the connection. */
  reread(messages: number): void {
    this.#reread.inc(messages);
  }

  /**
   * Measures how long a change took from its commit to the ring buffer, and traces it.
   * @returns the trace context of the change; undefined where it is not traced
   */
  arrived(_type: TypeId, change: AnnouncedChange): unknown {
    const age = this.#announcing === undefined ? Date.now() - change.at : performance.now() - this.#announcing;
    // The database's clock may be ahead.
    this.#legs.ring.observe(Math.max(0, age) / 1000);
    if (this.#tracing === undefined || change.trace === undefined) return undefined;
    const { trace, receivedAt } = change;
    const span = this.#tracing.start('feed receive', {
      causes: [trace],
      role: 'consumer',
      ...(receivedAt !== undefined && { at: receivedAt }),
    });
    span?.end();
    return span?.traceparent;
  }

  /** Counts the events and bytes that a cohort of watchers got, and measures how long they took. */
  flushed({ encoder, events, bytes, watchers, oldest, began, ended, origins }: Flush): void {
    this.#legs.socket.observe((ended - oldest) / 1000);
    this.#flushes.observe((ended - began) / 1000);
    this.#count(encoder, events, bytes, watchers);
    if (origins.length === 0) return;
    const causes = origins.filter((origin) => typeof origin === 'string');
    const attributes = { 'orch.events': events, 'orch.bytes': bytes, 'orch.watchers': watchers };
    this.#tracing?.start('flush', { causes, role: 'producer', at: began, attributes })?.end({ at: ended });
  }

  /** Counts events that one watcher got as its initial state or from the history. */
  caughtUp(encoder: FrameEncoder, events: number, bytes: number): void {
    if (events > 0) this.#count(encoder, events, bytes, 1);
  }

  #count(encoder: FrameEncoder, events: number, bytes: number, watchers: number): void {
    let series = this.#byEncoder.get(encoder);
    if (series === undefined) {
      series = this.#seriesOf(watchedKinds.get(encoder) ?? UNKNOWN);
      this.#byEncoder.set(encoder, series);
    }
    series.events.inc(events * watchers);
    series.sizes.observe(bytes / events, events * watchers);
  }
}

function refusals(metrics: Metrics): (reason: MessageRefusal) => void {
  const refused = metrics.counter({
    name: 'orch_feed_refused_messages_total',
    help: 'Number of messages from the bus that were dropped: unsigned, signed with an unknown key, forged or altered, malformed, or on the wrong subject.',
    labels: ['reason'] as const,
  });
  const reasons = ['unsigned', 'unknown-key', 'forged', 'malformed', 'misdirected'] as const;
  // Starts at zero, so that the first refusal shows as an increase.
  const series = new Map(reasons.map((reason) => [reason, refused.with(reason)]));
  return (reason) => series.get(reason)?.inc();
}

function eventSeries(metrics: Metrics): (kind: WatchedKind) => EventSeries {
  const events = metrics.counter({
    name: 'apiserver_watch_events_total',
    help: 'Number of events sent to watchers.',
    labels: KIND,
  });
  const sizes = metrics.histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Size of the events sent to watchers in bytes; for events that are written together, their mean.',
    labels: KIND,
    buckets: EVENT_SIZES,
  });
  return ({ group, version, kind }) => ({
    events: events.with(group, version, kind),
    sizes: sizes.with(group, version, kind),
  });
}
