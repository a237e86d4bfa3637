import type { ApiObject } from '@orch/machinery';
import type { Pod } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../attributes.js';
import { attributesOf, pluginOf, refusalOf, TestObjects, targetOf } from '../../testing/index.js';

type Spec = NonNullable<Pod['spec']>;
const HIGH = { metadata: { name: 'high' }, value: 100, preemptionPolicy: 'Never' };
const PLAIN = { metadata: { name: 'plain' }, value: 5 };
const USUAL = { metadata: { name: 'usual' }, value: 10, globalDefault: true, preemptionPolicy: 'PreemptLowerPriority' };

const pluginWith = (...classes: ApiObject[]) =>
  pluginOf('Priority', { objects: new TestObjects().put('scheduling.orch.io', 'priorityclasses', ...classes) });

async function created(spec: Spec, ...classes: ApiObject[]): Promise<Spec | string> {
  const pod = { spec } as ApiObject & { spec: Spec };
  return (await refusalOf(pluginWith(...classes), attributesOf({ object: pod }))) ?? pod.spec;
}

describe('a new pod', () => {
  it('has the priority of its class', async () => {
    expect(await created({ priorityClassName: 'high' }, HIGH)).toEqual({
      priorityClassName: 'high',
      priority: 100,
      preemptionPolicy: 'Never',
    });
    expect(await created({ priorityClassName: 'plain', preemptionPolicy: 'Never' }, PLAIN)).toEqual({
      priorityClassName: 'plain',
      priority: 5,
      preemptionPolicy: 'Never',
    });
  });

  it('has that of the default class where it names none, of several the lowest', async () => {
    const higher = { ...USUAL, metadata: { name: 'higher' }, value: 20 };
    const usual = { priorityClassName: 'usual', priority: 10, preemptionPolicy: 'PreemptLowerPriority' };
    expect(await created({}, HIGH, higher, USUAL)).toEqual(usual);
    expect(await created({ priorityClassName: '' }, USUAL)).toEqual(usual);
  });

  it('has none where there is no default class', async () => {
    expect(await created({}, HIGH)).toEqual({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });

  it.each<[Spec, string]>([
    [{ priorityClassName: 'gone' }, 'no PriorityClass with name gone was found'],
    [
      { priorityClassName: 'high', priority: 7 },
      'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 100 from the given PriorityClass name',
    ],
    [
      { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ],
  ])('%j is refused', async (spec, why) => {
    expect(await created(spec, HIGH)).toBe(`pods "a" is forbidden: ${why}`);
  });

  it('may say what it gets', async () => {
    const spec = { priorityClassName: 'high', priority: 100, preemptionPolicy: 'Never' } as const;
    expect(await created({ ...spec }, HIGH)).toEqual(spec);
  });
});

it('a pod that is replaced keeps what it has', async () => {
  const object = { spec: {} };
  const oldObject = { spec: { priority: 3, preemptionPolicy: 'Never' } };
  await pluginWith().admit?.(attributesOf({ operation: 'UPDATE', object, oldObject }));
  expect(object).toEqual(oldObject);
});

describe('priority classes', () => {
  const write = (operation: Attributes['operation'], object: ApiObject, ...classes: ApiObject[]) => {
    const target = { group: 'scheduling.k8s.io', resource: 'priorityclasses', namespace: '', operation, object };
    return refusalOf(pluginWith(...classes), attributesOf({ ...target, name: object.metadata?.name ?? '' }));
  };
  const OTHER = { ...USUAL, metadata: { name: 'other' } };
  const TAKEN =
    'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist';

  it('have one default', async () => {
    expect(await write('CREATE', OTHER, HIGH)).toBeUndefined();
    expect(await write('CREATE', OTHER, USUAL)).toBe(TAKEN);
    expect(await write('UPDATE', OTHER, USUAL)).toBe(TAKEN);
    expect(await write('UPDATE', USUAL, USUAL)).toBeUndefined();
    expect(await write('CREATE', PLAIN, USUAL)).toBeUndefined();
  });

  it('are let go', () => {
    expect(pluginWith().handles(targetOf({ resource: 'priorityclasses', operation: 'DELETE' }))).toBe(false);
  });
});
