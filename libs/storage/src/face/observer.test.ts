import { expect, test } from 'vitest';
import { Gatherer } from '../writes/gatherer.js';
import { aroundBatches, type StoreBatch } from './observer.js';

const limits = { items: 10, bytes: 100, sizeOf: () => 1, waiting: 100 };

test('a batch is told of with who asked and how long each waited, around its work', async () => {
  const batches: StoreBatch[] = [];
  const order: string[] = [];
  const around = aroundBatches(
    {
      async batch(batch, work) {
        batches.push(batch);
        order.push('before');
        const result = await work();
        order.push('after');
        return result;
      },
    },
    'write',
    (item: string) => (item === 'nobody' ? undefined : `by ${item}`),
  );
  let finish = (): void => undefined;
  const run = async (items: readonly string[]) => {
    order.push(items.join());
    if (items.length === 1) await new Promise<void>((resolve) => (finish = resolve));
    return items.map((item) => item.length);
  };
  const gatherer = new Gatherer(run, { ...limits, around });
  const first = gatherer.add('a');
  await Promise.resolve();
  const others = [gatherer.add('nobody'), gatherer.add('bc')];
  finish();
  expect(await Promise.all([first, ...others])).toEqual([1, 6, 2]);
  expect(order).toEqual(['before', 'a', 'after', 'before', 'nobody,bc', 'after']);
  expect(batches.map(({ lane, size, origins }) => [lane, size, origins])).toEqual([
    ['write', 1, ['by a']],
    ['write', 2, [undefined, 'by bc']],
  ]);
  expect(batches[1]?.waited.every((ms) => ms >= 0)).toBe(true);
});

test('what fails fails for its callers all the same', async () => {
  const around = aroundBatches({ batch: (_batch, work) => work() }, 'get');
  const gatherer = new Gatherer<string, number>(() => Promise.reject(new Error('gone')), { ...limits, around });
  await expect(gatherer.add('a')).rejects.toThrow('gone');
});

test('nobody listening costs nothing', () => {
  expect(aroundBatches({}, 'heads')).toBeUndefined();
});
