import { formatMicroTime } from '@orch/machinery';
import type { Clock } from '@orch/runtime';
import type { Pod } from '@orch/schema/types/core/v1';
import type { Event } from '@orch/schema/types/events/v1';
import { cutNote, type PodEvent, type PodEventRecorder, referenceTo } from './event-recorder.js';

/** Writes Events (events.k8s.io/v1). */
export interface SeriesSink {
  /** Creates an Event. Resolves with it as it was stored. */
  create(event: Event): Promise<Event>;
  /** Merges a series into an Event. */
  setSeries(event: Event, series: NonNullable<Event['series']>): Promise<void>;
}

/** Settings of a {@link SeriesRecorder}. */
interface SeriesRecorderSettings {
  /** Writes the events. */
  readonly sink: SeriesSink;
  /** Name of the machine of this process, as `host-1`. */
  readonly instance: string;
  /** Called with each event that could not be written. */
  readonly onError: (error: unknown, reason: string) => void;
  /** Times of events. */
  readonly clock: Clock;
}

/** Events that wait to be written, at most; more are dropped and reported. */
const MAX_WAITING = 1_000;
/** Milliseconds between reports of events that were dropped. */
const REPORT_MS = 10_000;
/** Writes at a time. */
const WRITERS = 16;
/** Milliseconds without a repetition after which a series has ended. */
const SERIES_MS = 360_000;

interface Recorded {
  /** Resolves with the Event as it was created; undefined where that failed. */
  readonly created: Promise<Event | undefined>;
  count: number;
  lastAt: number;
}

/**
 * Records events in the background. An event that repeats an earlier one, whatever its note, is counted in the series of
 * that (KEP-383).
 */
export class SeriesRecorder implements PodEventRecorder {
  readonly #recorded = new Map<string, Recorded>();
  #waiting: (() => Promise<void>)[] = [];
  #writing = 0;
  /** Events that were dropped and are not reported yet. */
  #dropped = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  #number = 0;

  constructor(private readonly settings: SeriesRecorderSettings) {}

  record(pod: Pod, event: PodEvent, controller: string): void {
    const now = this.settings.clock.now();
    this.#forgetEnded(now);
    const { type, reason, action, related } = event;
    const key = [controller, type, reason, action, pod.metadata?.uid, related?.metadata?.uid].join('|');
    const known = this.#recorded.get(key);
    if (known) this.#repeat(key, known, now, reason);
    else this.#begin(key, this.#eventOf(pod, event, controller), now);
  }

  /** Forgets what waits to be written. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting = [];
  }

  #begin(key: string, event: Event, now: number): void {
    let created = (_: Event | undefined): void => undefined;
    const recorded = {
      created: new Promise<Event | undefined>((resolve) => (created = resolve)),
      count: 1,
      lastAt: now,
    };
    const isQueued = this.#enqueue(event.reason ?? '', async () => {
      try {
        created(await this.settings.sink.create(event));
      } catch (error) {
        created(undefined);
        this.#recorded.delete(key);
        throw error;
      }
    });
    if (isQueued) this.#recorded.set(key, recorded);
  }

  #repeat(key: string, recorded: Recorded, now: number, reason: string): void {
    recorded.count++;
    recorded.lastAt = now;
    // Moves to the end: those that ended first stand first.
    this.#recorded.delete(key);
    this.#recorded.set(key, recorded);
    const { clock, sink } = this.settings;
    const series = { count: recorded.count, lastObservedTime: formatMicroTime(clock.wall()) };
    this.#enqueue(reason, async () => {
      const event = await recorded.created;
      // A later repetition says more.
      if (event && recorded.count === series.count) await sink.setSeries(event, series);
    });
  }

  #forgetEnded(now: number): void {
    for (const [key, { lastAt }] of this.#recorded) {
      if (lastAt + SERIES_MS > now) return;
      this.#recorded.delete(key);
    }
  }

  #enqueue(reason: string, write: () => Promise<void>): boolean {
    if (this.#isStopped) return false;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#drop(reason);
      return false;
    }
    this.#waiting.push(() =>
      write().catch((error: unknown) => {
        if (!this.#isStopped) this.settings.onError(error, reason);
      }),
    );
    this.#next();
    return true;
  }

  /** Thousands a second may be dropped: they are counted, and reported now and then. */
  #drop(reason: string): void {
    this.#dropped++;
    const now = this.settings.clock.now();
    if (now < this.#reportedAt + REPORT_MS) return;
    const error = new Error(`too many events wait to be written: ${this.#dropped} more were dropped`);
    [this.#dropped, this.#reportedAt] = [0, now];
    this.settings.onError(error, reason);
  }

  #next(): void {
    if (this.#writing >= WRITERS) return;
    const write = this.#waiting.shift();
    if (!write) return;
    this.#writing++;
    void write().finally(() => {
      this.#writing--;
      this.#next();
    });
  }

  #eventOf(pod: Pod, event: PodEvent, controller: string): Event {
    const { clock, instance } = this.settings;
    const { name = '', namespace = '' } = pod.metadata ?? {};
    const { type, reason, action, note, related } = event;
    const now = clock.wall();
    // Two events of one millisecond have different names.
    this.#number = (this.#number + 1) % 0x10_0000;
    const suffix = (BigInt(Math.floor(now)) * 0x10_0000n + BigInt(this.#number)).toString(16);
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `${name}.${suffix}`, namespace },
      eventTime: formatMicroTime(now),
      reportingController: controller,
      reportingInstance: `${controller}-${instance}`,
      ...{ action, reason, type, note: cutNote(note), regarding: referenceTo(pod) },
      ...(related && { related: referenceTo(related) }),
    };
  }
}
