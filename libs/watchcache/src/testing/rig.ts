import { inProcessBus, OrderedFeed, type OrderedFeedOptions } from '@orch/feed';
import { MemorySource } from '@orch/feed/testing';
import { ManualClock } from '@orch/runtime/testing';
import type { HistoricChange, Row } from '@orch/storage';
import type { BodyConversion } from '../conversion/body-conversion.js';
import { ConvertedFeed } from '../conversion/converted-feed.js';
import { ConvertedSource } from '../conversion/converted-source.js';
import type { Watcher } from '../fan-out/watcher.js';
import { InitialBudget, type InitialLimits } from '../initial/initial-budget.js';
import type { SelectableAttributes } from '../state/attributes.js';
import { TypeCache } from '../type-cache.js';
import type { TypeCacheOptions, WatchRequest } from '../type-cache-options.js';
import { bodyOf, describeRow, type TestObject, TestSink, testEncoder } from './fixtures.js';

export const TYPE = 1;

export interface RigOptions extends TypeCacheOptions {
  readonly feed?: Partial<OrderedFeedOptions>;
  /** What objects come through before they are held. */
  readonly conversion?: BodyConversion;
  /** What initial states may hold. Default: no bounds. */
  readonly initialLimits?: InitialLimits;
}

/** Attributes can be read in one version only. */
const describeIn =
  (version: string) =>
  (row: Row): SelectableAttributes =>
    row.storedVersion === version ? describeRow(row) : { labels: {}, fields: {} };

/** A type cache on a store in memory, a bus that can be cut, and a clock that is moved by hand. */
export class Rig {
  readonly clock = new ManualClock();
  readonly source = new MemorySource();
  /** While true, nobody hears of writes. */
  busCut = false;
  readonly #bus = inProcessBus();
  readonly feed: OrderedFeed;
  readonly cache: TypeCache;

  constructor(
    { feed, conversion, initialLimits, ...options }: RigOptions = {},
    prepare: (rig: Rig) => void = () => {},
  ) {
    const limits = initialLimits ?? { together: 0, perOwner: 0 };
    const initialBudget = new InitialBudget({ clock: this.clock, limits, keepFor: 2_000 });
    this.feed = new OrderedFeed({ source: this.source, bus: this.#bus, clock: this.clock, ...feed });
    prepare(this);
    this.cache = new TypeCache(
      TYPE,
      conversion ? new ConvertedSource(this.source, conversion) : this.source,
      conversion ? new ConvertedFeed({ feed: this.feed, conversion, clock: this.clock }) : this.feed,
      { describe: conversion ? describeIn(conversion.version) : describeRow, ...(conversion && { conversion }) },
      { clock: this.clock, random: () => 0.5, initialBudget, ...options },
    );
  }

  /** Writes `namespace/name`, or deletes it. */
  write(key: string, object: TestObject | 'deleted' = {}): HistoricChange | undefined {
    const [namespace = '', name = ''] = key.split('/');
    const change =
      object === 'deleted'
        ? this.source.write(TYPE, 'delete', { namespace, name })
        : this.source.write(TYPE, 'put', { namespace, name }, bodyOf(object));
    if (change !== undefined && !this.busCut) this.#bus.publish([change]);
    return change;
  }

  /** Starts a watch; time stands still until it has started. */
  async watch(request: Partial<WatchRequest> = {}): Promise<{ watcher: Watcher; sink: TestSink }> {
    const sink = new TestSink();
    const started = this.cache.watch({
      encoder: testEncoder,
      from: { at: 'now' },
      initialEvents: 'legacy',
      bookmarks: false,
      sink,
      ...request,
    });
    started.catch(() => {});
    await this.clock.settle();
    const watcher = await started;
    await this.clock.settle();
    return { watcher, sink };
  }

  close(): void {
    this.cache.close();
    this.feed.close();
  }
}
