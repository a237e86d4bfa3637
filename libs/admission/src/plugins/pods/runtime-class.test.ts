import type { ApiObject } from '@orch/machinery';
import type { Pod, Toleration } from '@orch/schema/types/core/v1';
import { describe, expect, it } from 'vitest';
import { attributesOf, pluginOf, refusalOf, TestObjects, targetOf } from '../../testing/index.js';
import { isSuperset, mergeTolerations } from './tolerations.js';

type Spec = NonNullable<Pod['spec']>;
const CLASS = {
  metadata: { name: 'vm' },
  handler: 'vm',
  overhead: { podFixed: { cpu: '250m' } },
  scheduling: { nodeSelector: { vm: 'yes' }, tolerations: [{ key: 'vm', operator: 'Exists' }] },
};
const PLAIN = { metadata: { name: 'plain' }, handler: 'plain' };
const objects = new TestObjects().put('node.orch.io', 'runtimeclasses', CLASS, PLAIN);
const plugin = pluginOf('RuntimeClass', { objects });

/** What becomes of a new pod, or why it is refused. */
async function created(spec: Spec): Promise<Spec | string> {
  const object = { spec } as ApiObject & { spec: Spec };
  return (await refusalOf(plugin, attributesOf({ object }))) ?? object.spec;
}

describe('a pod with a runtime class', () => {
  it('has its overhead and runs on its nodes', async () => {
    expect(await created({ runtimeClassName: 'vm', nodeSelector: { a: 'b' } })).toEqual({
      runtimeClassName: 'vm',
      overhead: { cpu: '250m' },
      nodeSelector: { a: 'b', vm: 'yes' },
      tolerations: [{ key: 'vm', operator: 'Exists' }],
    });
    expect(await created({ runtimeClassName: 'plain' })).toEqual({ runtimeClassName: 'plain' });
  });

  it('may say the same', async () => {
    const spec = { runtimeClassName: 'vm', overhead: { cpu: '0.25' }, nodeSelector: { vm: 'yes' } };
    expect(await created(spec)).toMatchObject({ overhead: { cpu: '250m' } });
  });

  const DIFFERENT = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  const WITHOUT = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
  it.each<[Spec, string]>([
    [{ runtimeClassName: 'gone' }, 'pod rejected: RuntimeClass "gone" not found'],
    [{ runtimeClassName: 'vm', overhead: { cpu: '1' } }, DIFFERENT],
    [{ runtimeClassName: 'vm', overhead: { cpu: '250m', memory: '1' } }, DIFFERENT],
    [{ runtimeClassName: 'plain', overhead: { cpu: '1' } }, WITHOUT],
    [{ overhead: { cpu: '1' } }, WITHOUT],
    [
      { runtimeClassName: 'vm', nodeSelector: { vm: 'no' } },
      'conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no',
    ],
  ])('%j is refused', async (spec, why) => {
    expect(await created(spec)).toBe(`pods "a" is forbidden: ${why}`);
  });

  it('is looked for in the database where memory is behind', async () => {
    const late = new TestObjects();
    late.read = async () => PLAIN;
    const behind = pluginOf('RuntimeClass', { objects: late });
    const object = { spec: { runtimeClassName: 'plain' } };
    expect(await refusalOf(behind, attributesOf({ object }))).toBeUndefined();
  });

  it('is not looked at later', () => {
    expect(plugin.handles(targetOf({ operation: 'UPDATE' }))).toBe(false);
  });
});

describe('tolerations', () => {
  const key = 'a';
  it.each<[string, Toleration, Toleration, boolean]>([
    ['the same', { key, operator: 'Equal', value: 'x' }, { key, operator: 'Equal', value: 'x' }, true],
    ['any value', { key, operator: 'Exists' }, { key, operator: 'Equal', value: 'x' }, true],
    ['another key', { key, operator: 'Exists' }, { key: 'b', operator: 'Exists' }, false],
    ['any key', { operator: 'Exists' }, { key: 'b', operator: 'Exists' }, true],
    ['another effect', { key, operator: 'Exists', effect: 'NoSchedule' }, { key, operator: 'Exists' }, false],
    ['any effect', { key, operator: 'Exists' }, { key, operator: 'Exists', effect: 'NoSchedule' }, true],
    [
      'as long',
      { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
      { key, operator: 'Equal', value: 'x', effect: 'NoExecute', tolerationSeconds: 5 },
      true,
    ],
    [
      'not for ever',
      { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
      { key, operator: 'Exists', effect: 'NoExecute' },
      false,
    ],
    ['another value', { key, operator: 'Equal', value: 'x' }, { key, operator: 'Equal', value: 'y' }, false],
    ['every value', { key, operator: 'Equal', value: 'x' }, { key, operator: 'Exists' }, false],
  ])('%s', (_, wide, narrow, covers) => {
    expect(isSuperset(wide, narrow)).toBe(covers);
  });

  it('are merged without those that others make superfluous', () => {
    const wide: Toleration = { key, operator: 'Exists' };
    const narrow: Toleration = { key, operator: 'Equal', value: 'x' };
    const other: Toleration = { key: 'b', operator: 'Exists' };
    expect(mergeTolerations([narrow, other], [wide])).toEqual([other, wide]);
    expect(mergeTolerations([wide], [{ ...wide }, narrow, other])).toEqual([wide, other]);
  });
});
