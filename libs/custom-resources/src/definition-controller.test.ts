import { type ApiObject, StatusError } from '@orch/machinery';
import type { Endpoint } from '@orch/resources';
import { ManualClock } from '@orch/runtime/testing';
import { LEADERSHIP_MS, RENEWAL_MS } from '@orch/runtime/work';
import type { LeastProgress } from '@orch/storage';
import { leavingOut, type RunSettings, runControllers, type TestApi, testApi, thingDefinition } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DefinitionDecision } from './decisions.js';
import { DefinitionController } from './definition-controller.js';
import { DefinitionInformer } from './definition-informer.js';
import { DefinitionWriter } from './definition-writer.js';
import { ReadyDefinitions } from './ready-definitions.js';

const DEFINITIONS = 'customresourcedefinitions';
const [THINGS, OTHERS] = ['things.example.com', 'others.example.com'] as const;
const OTHER_NAMES = { plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList' };

let api: TestApi;
let endpoint: Endpoint;
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  endpoint = api.endpoint(DEFINITIONS);
});
afterEach(() => api.close());

const nothing = () => ({ pending: () => [], ready: new ReadyDefinitions() });

/** A process that decides on definitions, and the errors that it reports. */
function processOf(
  more: Partial<ConstructorParameters<typeof DefinitionController>[0]> = {},
  unreadable: string[] = [],
) {
  const { names, pipeline, now } = api.deps;
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const informer = new DefinitionInformer({
    ...{ source: leavingOut(api.store, ({ name }) => unreadable.includes(name)), feed: api.feed, endpoint, onError },
  });
  const writer = new DefinitionWriter({ pipeline, endpoint, names, now });
  const { controller } = new DefinitionController({
    ...{ informer, onError, writer, cleaner: nothing(), migrator: nothing() },
    leastProgress: async () => undefined,
    ...more,
  });
  return {
    ...{ informer, writer, errors, controller },
    run: (settings: RunSettings = {}) => runControllers({ controllers: [controller] }, { onError, ...settings }),
  };
}

it('forgets definitions that are finished, so that they are ready anew when there is work again', async () => {
  const pending = [{ name: 'a', uid: 'a', since: 1n }] as never[];
  const migrator = { pending: () => pending, ready: new ReadyDefinitions() };
  migrator.ready.update(pending, () => true);
  const { informer, controller } = processOf({ migrator });
  await informer.start();
  await controller.reconcile('all', { goesOn: true });
  expect([...migrator.ready.source.keys()]).toEqual(['a']);
  pending.length = 0;
  await controller.reconcile('all', { goesOn: true });
  expect([...migrator.ready.source.keys()]).toEqual([]);
  informer.stop();
});

/** One look of a process that has just come to lead, and cannot read the definitions of these names. @returns what it could not read */
async function look(...unreadable: string[]): Promise<string[]> {
  const { informer, controller, errors } = processOf({}, unreadable);
  await informer.start();
  await controller.reconcile('all', { goesOn: true });
  informer.stop();
  return errors;
}

/** Whether a definition was given its names, and why; undefined where nothing was decided on them. */
const accepted = (name: string) => told(name, 'NamesAccepted');

function told(name: string, type: string): string | undefined {
  const { status } = api.stored(DEFINITIONS, name) as ApiObject;
  const { conditions } = (status ?? {}) as { conditions?: Record<string, string>[] };
  const found = conditions?.find((condition) => condition.type === type);
  return found && `${found.status} ${found.reason}`;
}

it('gives no definition names while another cannot be read, which may have them', async () => {
  await api.create(DEFINITIONS, thingDefinition());
  await look();
  expect(accepted(THINGS)).toBe('True NoConflicts');
  await api.create(DEFINITIONS, thingDefinition({ names: { ...OTHER_NAMES, kind: 'Thing' } }));
  expect(await look(THINGS)).toEqual([`unable to read things "${THINGS}": no key`]);
  expect(accepted(OTHERS)).toBeUndefined();
  expect(await look()).toEqual([]);
  expect(accepted(OTHERS)).toBe('False KindConflict');
});

describe('the controller of definitions', () => {
  it('begins once the definitions are known, and does not look again at rest', async () => {
    await api.create(DEFINITIONS, thingDefinition());
    const clock = new ManualClock();
    let looks = 0;
    const least: LeastProgress = { served: 1_000_000n, drained: 0n, held: new Set() };
    const leastProgress = async () => {
      looks++;
      return least;
    };
    const { informer, errors, run } = processOf({ leastProgress, clock });
    const running = await run({ clock });
    await clock.settle();
    expect([accepted(THINGS), errors]).toEqual([undefined, ['objects are not followed']]);
    await informer.start();
    await expect
      .poll(async () => {
        await clock.advance(250);
        return told(THINGS, 'Established');
      })
      .toBe('True InitialNamesAccepted');
    await informer.confirm();
    await clock.advance(1_000);
    const [before, writes] = [looks, api.store.writes.length];
    await clock.advance(60_000);
    expect([looks, api.store.writes.length]).toEqual([before, writes]);
    await running.stop();
    informer.stop();
  });

  it('tries a definition that is refused again with backoff, and keeps nobody from the others', async () => {
    await api.create(DEFINITIONS, thingDefinition());
    await api.create(DEFINITIONS, thingDefinition({ names: OTHER_NAMES }));
    const clock = new ManualClock();
    const tries: number[] = [];
    let isRefused = true;
    const { informer, writer, errors, run } = processOf({
      clock,
      writer: {
        async decide(decision: DefinitionDecision, own) {
          if (decision.definition.name !== THINGS) return writer.decide(decision, own);
          tries.push(clock.now());
          if (isRefused) throw new StatusError('Invalid', 'refused');
          return writer.decide(decision, own);
        },
      },
    });
    await informer.start();
    const running = await run({ clock });
    for (let ms = 0; ms < 20_000; ms += 50) await clock.advance(50);
    expect(accepted(OTHERS)).toBe('True NoConflicts');
    expect(tries.length).toBeGreaterThan(3);
    expect(tries.length).toBeLessThan(12);
    expect(errors).toEqual(tries.map(() => 'refused'));
    isRefused = false;
    await clock.advance(6_000);
    expect(accepted(THINGS)).toBe('True NoConflicts');
    await running.stop();
    informer.stop();
  });

  it('writes nothing any more once the lease is lost, though it has begun', async () => {
    await api.create(DEFINITIONS, thingDefinition());
    const clock = new ManualClock();
    let [isFree, isBegun, lost] = [true, false, false];
    let goOn = (): void => undefined;
    const { informer, writer, errors, run } = processOf({
      clock,
      writer: {
        async decide(decision: DefinitionDecision, own) {
          isBegun = true;
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
          await writer.decide(decision, own).catch((error: unknown) => {
            lost = true;
            throw error;
          });
        },
      },
    });
    await informer.start();
    const running = await run({ clock, isFree: () => isFree });
    await expect.poll(() => isBegun).toBe(true);
    isFree = false;
    await clock.advance(LEADERSHIP_MS);
    const writes = api.store.writes.length;
    goOn();
    await expect.poll(() => lost).toBe(true);
    await clock.advance(60_000);
    expect([accepted(THINGS), api.store.writes.length, errors]).toEqual([undefined, writes, []]);
    isFree = true;
    await clock.advance(RENEWAL_MS);
    const goesOn = async () => {
      await clock.advance(10);
      goOn();
      return accepted(THINGS);
    };
    await expect.poll(goesOn).toBe('True NoConflicts');
    await running.stop();
    informer.stop();
  });
});
