import type { Version } from '@orch/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BodyConversion, StoredBody } from './conversion/body-conversion.js';
import type { Watcher } from './fan-out/watcher.js';
import type { Selection } from './state/attributes.js';
import { selecting, type TestEvent, type TestObject, type TestSink } from './testing/fixtures.js';
import { initial, judge, replay, type WatchedBy } from './testing/replay.js';
import { Rig, type RigOptions, TYPE } from './testing/rig.js';

/*
 * Random writes, stalls, cuts of the bus, failures of the database, compactions and starts, against the replay of the
 * history that was committed: every stream must be exactly its replay (V2), or end with an error after a prefix of it.
 */

const NAMES = ['a/one', 'a/two', 'b/one', 'b/two'];
const object: fc.Arbitrary<TestObject | 'deleted'> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      node: fc.constantFrom('n1', 'n2'),
      labels: fc.constantFrom<Record<string, string>[]>({}, { app: 'x' }),
    }),
  },
  { weight: 1, arbitrary: fc.constant('deleted' as const) },
);
const SELECTIONS: readonly (Selection | undefined)[] = [
  undefined,
  selecting({ 'field:spec.nodeName': 'n1' }),
  selecting({ 'label:app': 'x' }),
  selecting({ 'field:metadata.name': 'one' }),
  { ...selecting({ 'field:metadata.name': 'two' }), byKey: true },
  { ...selecting({ 'label:app': 'x', 'field:spec.nodeName': 'n2' }), equals: new Map() },
];

type Step =
  | { do: 'write'; key: string; object: TestObject | 'deleted' }
  | { do: 'burst'; writes: number; apart: number }
  | {
      do: 'watch';
      namespace: string | undefined;
      selection: number;
      from: 'now' | 'any' | number;
      stream: boolean;
      bookmarks: boolean;
    }
  | { do: 'stall' | 'release'; watcher: number }
  | { do: 'sip'; watcher: number }
  | { do: 'close'; watcher: number }
  | { do: 'pass'; ms: number }
  | { do: 'bus'; up: boolean }
  | { do: 'database'; up: boolean }
  | { do: 'compact'; behind: number }
  | { do: 'converter'; state: Converter['state'] };

/** Steps with watches of the first so many selections: the fewer, the larger the audiences. */
const stepsWith = (selections: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc.record({ do: fc.constant('write' as const), key: fc.constantFrom(...NAMES), object }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('watch' as const),
          namespace: selections === 1 ? fc.constant(undefined) : fc.constantFrom(undefined, 'a'),
          selection: fc.nat(selections - 1),
          from: fc.oneof(fc.constantFrom('now' as const, 'any' as const), fc.integer({ min: -8, max: 2 })),
          stream: fc.boolean(),
          bookmarks: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constantFrom('stall' as const, 'release' as const), watcher: fc.nat(8) }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('burst' as const), writes: fc.nat(12), apart: fc.nat(4) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), watcher: fc.nat(8) }) },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.oneof(fc.nat(12), fc.nat(12), fc.nat(3_000)) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('bus' as const), up: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('database' as const), up: fc.boolean() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), behind: fc.nat(6) }) },
    ),
    { minLength: 5, maxLength: 60 },
  );

/** Leaves bodies as they are, but for the bad ones while it refuses them; or answers nothing. */
class Converter implements BodyConversion {
  readonly key = 'model';
  readonly version = 'v2';
  readonly defaults = 0;
  state: 'refuses' | 'takes' | 'is down' = 'refuses';

  async convert(_type: number, bodies: readonly StoredBody[]): Promise<readonly (Buffer | Error)[]> {
    if (this.state === 'is down') throw new Error('down');
    const refuses = (body: Buffer) => this.state === 'refuses' && body.includes('"bad"');
    return bodies.map(({ body }) => (refuses(body) ? new Error('refused') : body));
  }
}

/** The steps, among which objects are written that a converter may refuse. */
const convertedSteps: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: stepsWith(SELECTIONS.length) },
      {
        weight: 5,
        arbitrary: fc
          .record({ key: fc.constantFrom(...NAMES), node: fc.constantFrom('n1', 'n2') })
          .map(({ key, node }): Step[] => [{ do: 'write', key, object: { node, content: 'bad' } }]),
      },
      {
        weight: 4,
        arbitrary: fc
          .constantFrom<Converter['state'][]>('refuses', 'takes', 'is down')
          .map((state): Step[] => [{ do: 'converter', state }]),
      },
    ),
    { minLength: 5, maxLength: 12 },
  )
  .map((parts) => parts.flatMap((part) => part.slice(0, 6)));

interface Stream {
  readonly by: WatchedBy;
  readonly sink: TestSink;
  readonly watcher: Watcher;
  /** The version behind which it started; for a start with the state, the versions that this may be of. */
  readonly after: Version | { readonly from: Version; readonly to: Version };
  closedAt: number | undefined;
}

interface ScenarioOptions extends RigOptions {
  /** Whether objects come through a converter. What an object was before that could not be looked at is not told from one that is new. */
  readonly converted?: boolean;
}

const alike = (event: TestEvent): TestEvent => (event.type === 'ADDED' ? { ...event, type: 'MODIFIED' } : event);

class Scenario {
  readonly rig: Rig;
  readonly streams: Stream[] = [];
  readonly refused: string[] = [];
  readonly converter = new Converter();
  readonly isConverted: boolean;
  readonly #told: (events: readonly TestEvent[]) => readonly TestEvent[];

  constructor({ converted = false, ...options }: ScenarioOptions) {
    this.isConverted = converted;
    this.#told = converted ? (events) => events.map(alike) : (events) => events;
    this.rig = new Rig(
      {
        ringMaxBytes: 8_000,
        bookmarkInterval: 1_000,
        loadWait: 100,
        versionWait: 100,
        ...options,
        ...(converted && { conversion: this.converter }),
      },
      (rig) => {
        for (const key of NAMES) rig.write(key, { node: 'n1' });
      },
    );
  }

  async run(steps: readonly Step[]): Promise<void> {
    const { clock, source } = this.rig;
    await clock.settle();
    for (const each of steps) await this.#do(each);
    source.down = false;
    this.rig.busCut = false;
    this.converter.state = 'takes';
    for (const { sink } of this.streams) sink.release();
    await clock.advance(8_000);
    for (const { sink } of this.streams) sink.release();
    await clock.advance(2_000);
  }

  /** What is wrong with any stream. */
  verdict(): string[] {
    const history = this.rig.source.history(TYPE);
    return this.streams.flatMap(({ by, sink, after, closedAt }) => {
      const events = closedAt === undefined ? sink.events : sink.events.slice(0, closedAt);
      const complete = closedAt === undefined && !sink.ended;
      const faults = closedAt !== undefined && sink.events.length > closedAt ? ['written after close'] : [];
      if (events.some(({ error }) => error === 'internal')) faults.push('ended by a defect');
      if (sink.overruns.some((piece) => !piece.includes('"ERROR"'))) faults.push('written to a sink that was full');
      if (typeof after === 'bigint')
        return [...faults, ...judge(this.#told(events), this.#told(replay(history, after, by)), complete)];
      const verdicts: string[][] = [];
      for (let at = after.from; at <= after.to; at++) {
        const expected = [...initial(this.rig.source.rows(TYPE, at), by), ...replay(history, at, by)];
        verdicts.push([...faults, ...judge(this.#told(events), this.#told(expected), complete)]);
      }
      return verdicts.find((wrong) => wrong.length === 0) ?? verdicts.at(-1) ?? ['no state to start from'];
    });
  }

  async #do(each: Step): Promise<void> {
    const { clock, source } = this.rig;
    if (each.do === 'write') this.rig.write(each.key, each.object);
    else if (each.do === 'burst') await this.#burst(each.writes, each.apart);
    else if (each.do === 'pass') await clock.advance(each.ms);
    else if (each.do === 'bus') this.rig.busCut = !each.up;
    else if (each.do === 'database') source.down = !each.up;
    else if (each.do === 'watch') await this.#watch(each);
    else if (each.do === 'converter') this.converter.state = each.state;
    else if (each.do === 'compact') {
      const version = source.history(TYPE).at(-1 - each.behind)?.version;
      if (version !== undefined) source.compact(TYPE, version);
    } else {
      const stream = this.streams[each.watcher];
      if (stream === undefined) return;
      if (each.do === 'stall') stream.sink.stalled = true;
      else if (each.do === 'release') stream.sink.release();
      else if (each.do === 'sip') stream.sink.sip();
      else {
        stream.closedAt ??= stream.sink.events.length;
        stream.watcher.close();
      }
    }
  }

  /** Writes a few ms apart: what is gathered, and what small rings soon forget. */
  async #burst(writes: number, apart: number): Promise<void> {
    for (let number = 0; number < writes; number++) {
      this.rig.write('a/one', { node: number % 2 === 0 ? 'n1' : 'n2' });
      if (apart > 0) await this.rig.clock.advance(apart);
    }
  }

  async #watch({
    namespace,
    selection: number,
    from,
    stream,
    bookmarks,
  }: Extract<Step, { do: 'watch' }>): Promise<void> {
    const { clock, cache, source } = this.rig;
    const selection = SELECTIONS[number];
    const by = { ...(namespace === undefined ? {} : { namespace }), ...(selection === undefined ? {} : { selection }) };
    const head = source.head(TYPE);
    const version = typeof from === 'number' ? head + BigInt(from) : 0n;
    if (version < 0n) return;
    const request = {
      ...by,
      from: typeof from === 'number' ? { after: version } : { at: from },
      initialEvents: stream ? ('stream' as const) : ('legacy' as const),
      bookmarks,
    };
    const started = this.rig.watch(request).then(
      ({ sink, watcher }) => {
        const exact = typeof from === 'number' && !stream;
        const oldest = from === 'now' ? head : version;
        const after = exact ? version : { from: oldest, to: cache.ready() ? cache.version : source.head(TYPE) };
        this.streams.push({ by, sink, watcher, after, closedAt: undefined });
      },
      (error: unknown) => {
        this.refused.push(error instanceof Error ? error.name : String(error));
      },
    );
    await clock.advance(300);
    // A converter that is down may have it wait until after later steps.
    if (!this.isConverted) await started;
  }
}

async function judged(steps: readonly Step[], options: ScenarioOptions = {}): Promise<string[]> {
  const scenario = new Scenario(options);
  await scenario.run(steps);
  const wrong = scenario.verdict();
  scenario.rig.close();
  await scenario.rig.clock.advance(10_000);
  if (scenario.rig.clock.pending > 0) wrong.push('something is still running');
  return wrong;
}

const WATCH: Step = { do: 'watch', namespace: undefined, selection: 0, from: 0, stream: false, bookmarks: true };
const WRITE: Step = { do: 'write', key: 'a/one', object: { node: 'n2' } };

describe('streams', () => {
  it('are the replay of the history, or end with an error after a part of it', async () => {
    await fc.assert(
      fc.asyncProperty(stepsWith(SELECTIONS.length), async (steps) => {
        expect(await judged(steps)).toEqual([]);
      }),
      { seed: 5, numRuns: 250 },
    );
  });

  it('are so where most of it is read from the database, for some with the states before and for some without', async () => {
    await fc.assert(
      fc.asyncProperty(stepsWith(SELECTIONS.length), async (steps) => {
        expect(await judged(steps, { ringMaxBytes: 2_500, historyBytes: 4_000 })).toEqual([]);
      }),
      { seed: 8, numRuns: 250 },
    );
  });

  it('are so with large audiences and a ring of few events, too', async () => {
    await fc.assert(
      fc.asyncProperty(stepsWith(1), async (steps) => {
        expect(
          await judged(steps, { watchersPerGatherMs: 0.1, cohortSize: 2, ringMaxBytes: 3_000, shareInitial: 200 }),
        ).toEqual([]);
      }),
      { seed: 6, numRuns: 250 },
    );
  });
});

describe('streams of a version that not every object has', () => {
  it('are the replay of the history, or end with an error after a part of it', async () => {
    let ends = 0;
    await fc.assert(
      fc.asyncProperty(convertedSteps, async (steps) => {
        const scenario = new Scenario({ converted: true });
        await scenario.run(steps);
        expect(scenario.verdict()).toEqual([]);
        const errors = scenario.streams.flatMap(({ sink }) => sink.events.filter(({ error }) => error === 'refused'));
        ends += errors.length;
        scenario.rig.close();
        await scenario.rig.clock.advance(10_000);
        expect(scenario.rig.clock.pending).toBe(0);
      }),
      { seed: 7, numRuns: 250 },
    );
    expect(ends).toBeGreaterThan(20);
  });
});

describe('streams that were once wrong', () => {
  it('begin in the database, which is ahead of the ring: nothing comes twice', async () => {
    const late: Step[] = [{ do: 'bus', up: false }, WRITE, { ...WATCH, from: -2 }, WRITE, { do: 'pass', ms: 2_000 }];
    expect(await judged(late)).toEqual([]);
  });
});

describe('the judge finds', () => {
  /** The tick of the timer wheel that sends the bookmark falls into the few ms for which the second write is gathered. */
  const steps: Step[] = [WATCH, { do: 'pass', ms: 495 }, WRITE, { do: 'pass', ms: 1 }, WRITE, { do: 'pass', ms: 20 }];
  const gathering: RigOptions = { watchersPerGatherMs: 0.1 };

  it('a bookmark that is sent before what it claims', async () => {
    const scenario = new Scenario(gathering);
    await scenario.run(steps);
    scenario.rig.close();
    expect(scenario.verdict()).toEqual([]);
    const events = scenario.streams.flatMap(({ sink }) => sink.events);
    const at = events.findIndex(({ type }) => type === 'BOOKMARK');
    events.splice(at - 1, 2, ...events.slice(at - 1, at + 1).reverse());
    const expected = replay(scenario.rig.source.history(TYPE), scenario.rig.source.head(TYPE) - 2n, {});
    expect(judge(events, expected, true).join()).toContain('which was not sent');
  });

  it('a change of which nobody heard, and for which nobody asked the database', async () => {
    const lossy: Step[] = [WATCH, { do: 'bus', up: false }, WRITE, { do: 'pass', ms: 50 }];
    expect(await judged(lossy)).toEqual([]);
    expect(await judged(lossy, { feed: { pollInterval: 3_600_000 } })).toContain('1 events are missing');
  });
});
