import { describe, expect, it } from 'vitest';
import { Admission, admit, type SelectedPlugins, validate } from './admission.js';
import type { AdmissionPlugin } from './plugin.js';
import { Reinvocation } from './reinvocation.js';
import { attributesOf, targetOf } from './testing/index.js';

/** Notes who was asked. */
function rig(...plugins: readonly (Partial<AdmissionPlugin> & { name: string })[]) {
  const observed: unknown[] = [];
  const observe = (...[step, operation, , rejected]: Parameters<NonNullable<SelectedPlugins['observe']>>) =>
    void observed.push([step, operation, rejected]);
  const admission = new Admission(
    plugins.map((plugin) => ({ handles: () => true, ...plugin })),
    observe,
  );
  const selected = admission.select(() => targetOf({}));
  const reinvocation = new Reinvocation();
  const attributes = attributesOf({ reinvoke: () => reinvocation.ask() });
  Object.defineProperty(attributes, 'isReinvocation', { get: () => reinvocation.isReinvocation });
  return { observed, selected, admit: () => admit(selected, attributes, reinvocation), attributes };
}

describe('plugins that may change an object', () => {
  it('are asked in order, those that wait and those that do not', async () => {
    const asked: string[] = [];
    const note = (name: string) => ({ name, admit: () => void asked.push(name) });
    const waits = { name: 'b', admit: () => Promise.resolve().then(() => void asked.push('b')) };
    const { admit } = rig(note('a'), waits, note('c'), { name: 'd' });
    await admit();
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  it('cost no promise where none of them waits', () => {
    expect(rig({ name: 'a', admit: () => undefined }).admit()).toBeUndefined();
  });

  it.each(['at once', 'late'])('are asked once more where one wants that, %s, and no third time', async (when) => {
    const asked: string[] = [];
    const wants: AdmissionPlugin = {
      name: 'b',
      handles: () => true,
      admit(attributes) {
        asked.push(`b ${attributes.isReinvocation}`);
        if (when === 'at once') return attributes.reinvoke();
        return Promise.resolve().then(() => attributes.reinvoke());
      },
    };
    await rig({ name: 'a', admit: () => void asked.push('a') }, wants).admit();
    expect(asked).toEqual(['a', 'b false', 'a', 'b true']);
  });

  it('end with the first that refuses', async () => {
    const asked: string[] = [];
    const refuses = {
      name: 'a',
      admit() {
        throw new Error('no');
      },
    };
    const { admit, observed } = rig(refuses, { name: 'b', admit: () => void asked.push('b') });
    expect(admit).toThrow('no');
    expect(asked).toEqual([]);
    expect(observed).toEqual([['admit', 'CREATE', true]]);
    const late = rig({ name: 'a', admit: () => Promise.reject(new Error('late')) });
    await expect(late.admit()).rejects.toThrow('late');
    expect(late.observed).toEqual([['admit', 'CREATE', true]]);
  });
});

it('plugins that judge are told of too', async () => {
  const { selected, attributes, observed } = rig({ name: 'a', validate: () => undefined });
  await validate(selected, attributes);
  expect(observed).toEqual([['validate', 'CREATE', false]]);
});
