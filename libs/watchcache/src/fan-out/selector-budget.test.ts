import { afterEach, describe, expect, it } from 'vitest';
import { SelectorBudgetError } from '../errors.js';
import type { Selection } from '../state/attributes.js';
import { selecting, testEncoder } from '../testing/fixtures.js';
import { Rig } from '../testing/rig.js';

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function start(together: number, perOwner: number): Promise<Rig> {
  const rig = new Rig({ selectorLimits: { together, perOwner } });
  rigs.push(rig);
  await rig.clock.settle();
  return rig;
}

/** A selector that costs so many terms, matches everything, and counts how often it is asked. */
function negations(key: string, cost: number, equals: Record<string, string> = {}): Selection & { asked: number } {
  const selection = {
    key,
    terms: cost - 4,
    equals: new Map(Object.entries(equals)) as ReadonlyMap<`label:${string}`, string>,
    asked: 0,
    matches: () => {
      selection.asked += cost;
      return true;
    },
  };
  return selection;
}

describe('selectors that nothing finds', () => {
  it('cost an event no more than may be said in all, whatever is opened', async () => {
    const rig = await start(1000, 0);
    const selections = Array.from({ length: 900 }, (_, number) => negations(`s${number}`, 100));
    let refused = 0;
    for (const selection of selections) {
      await rig.watch({ selection }).catch((error: unknown) => {
        expect(error).toBeInstanceOf(SelectorBudgetError);
        refused++;
      });
    }
    expect(refused).toBe(890);
    expect(rig.cache.stats()).toMatchObject({ watchers: 10, selectorTerms: 1000 });
    const asked = () => selections.reduce((sum, selection) => sum + selection.asked, 0);
    const before = asked();
    rig.write('a/one');
    await rig.clock.settle();
    // A new object is matched as it is now.
    expect(asked() - before).toBe(1000);
    rig.write('a/one', { content: 'changed' });
    await rig.clock.settle();
    expect(asked() - before, 'and a changed one as it was, too').toBe(3000);
  });

  it('of one owner leave the others theirs', async () => {
    const rig = await start(1000, 300);
    await rig.watch({ selection: negations('a', 200), owner: 'jane' });
    await expect(rig.watch({ selection: negations('b', 200), owner: 'jane' })).rejects.toThrow(SelectorBudgetError);
    await rig.watch({ selection: negations('b', 200), owner: 'joe' });
    await rig.watch({ selection: negations('c', 600) });
    await expect(rig.watch({ selection: negations('d', 5) })).rejects.toThrow(SelectorBudgetError);
  });

  it('are free again with their last watch', async () => {
    const rig = await start(100, 100);
    const selection = negations('a', 100);
    const [first, second] = [
      await rig.watch({ selection, owner: 'jane' }),
      await rig.watch({ selection, owner: 'jane' }),
    ];
    const other = () => rig.watch({ selection: negations('b', 100), owner: 'jane' });
    first.watcher.close();
    first.watcher.close();
    await expect(other()).rejects.toThrow(SelectorBudgetError);
    second.watcher.refuse(new Error('no more'));
    expect(rig.cache.stats().selectorTerms).toBe(0);
    await other();
  });
});

describe('what is counted', () => {
  it('is each selector once, and it is asked once, in however many encodings it is watched', async () => {
    const rig = await start(100, 100);
    const selection = negations('a', 100);
    for (let number = 0; number < 50; number++) {
      const encoder = { ...testEncoder, key: `e${number % 5}` };
      await rig.watch({ selection, encoder, owner: 'jane' });
    }
    const before = selection.asked;
    rig.write('a/one');
    await rig.clock.settle();
    expect(selection.asked - before).toBe(100);
  });

  it('is nothing for what is found by a name, a field or a label', async () => {
    const rig = await start(4, 4);
    for (let number = 0; number < 20; number++) {
      const selection = negations(`n${number}`, 5, { 'field:spec.nodeName': `n${number}` });
      await rig.watch({ selection, owner: 'jane' });
    }
    await rig.watch({ namespace: 'a', owner: 'jane' });
    expect(rig.cache.stats().selectorTerms).toBe(0);
  });

  it('is the length of a name or namespace too, where that is beyond measure', async () => {
    const rig = await start(0, 100);
    const long = (letter: string): string => letter.repeat(60_000);
    const named = selecting({ 'field:metadata.name': long('a') });
    const first = await rig.watch({ selection: named, owner: 'jane' });
    expect(rig.cache.stats().selectorTerms).toBe(58);
    await expect(rig.watch({ namespace: long('b'), owner: 'jane' })).rejects.toThrow(SelectorBudgetError);
    first.watcher.close();
    await rig.watch({ namespace: long('b'), owner: 'jane' });
    expect(rig.cache.stats().selectorTerms).toBe(58);
  });

  it('are places apart from each other, for no event lies in two', async () => {
    const rig = await start(100, 0);
    for (const namespace of ['a', 'b', 'c']) await rig.watch({ namespace, selection: negations('s', 100) });
    await rig.watch({ selection: negations('x', 101, { 'label:app': 'x' }) });
    await expect(rig.watch({ namespace: 'a', selection: negations('t', 5) })).rejects.toThrow(SelectorBudgetError);
  });
});

it('a stream that is refused ends with what its owner says, and gets nothing that came before', async () => {
  const rig = await start(0, 0);
  const { watcher, sink } = await rig.watch();
  rig.write('a/one');
  watcher.refuse(new Error('no more'));
  rig.write('a/two');
  await rig.clock.settle();
  expect(sink.events).toEqual([{ type: 'ERROR', version: '0', error: 'no more' }]);
  expect([sink.ended, watcher.ended, rig.cache.watchers]).toEqual([true, true, 0]);
});
