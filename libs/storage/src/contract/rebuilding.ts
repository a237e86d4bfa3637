import { expect, it } from 'vitest';
import type { Version } from '../face/key.js';
import type { Row } from '../face/store.js';
import { chooseSeed, seededRandom } from '../testing/random.js';
import { body, compare, essence, key, type Rig, rowsOf } from './rig.js';

/** Every state that ever was, against a model. */
export function describeRebuilding(rig: Rig): void {
  const { freshType, create, update, remove, headOf } = rig;

  it('rebuilds every version that it ever had (random, against a model)', async () => {
    const seed = chooseSeed();
    const random = seededRandom(seed);
    const type = await freshType();
    const model = new Map<string, Row>();
    const states: [Version, Row[]][] = [[(await headOf(type)).head, []]];
    for (let step = 0; step < 150; step++) {
      const k = key(`k${Math.floor(random() * 12)}`, `n${Math.floor(random() * 3)}`);
      const id = `${k.namespace}/${k.name}`;
      const row = model.get(id);
      const stale = random() < 0.1;
      const version = (row?.version ?? 5n) - (stale ? 1n : 0n);
      const dice = random();
      const outcome = await (dice < 0.4
        ? create(type, k, `s${step}`)
        : dice < 0.8
          ? update(type, k, version, `s${step}`)
          : remove(type, k, version));
      const expected =
        dice < 0.4 ? (row ? 'already-exists' : 'committed') : row ? (stale ? 'conflict' : 'committed') : 'not-found';
      expect(outcome.outcome, `seed ${seed}, step ${step}`).toBe(expected);
      if (outcome.outcome !== 'committed') continue;
      if (dice >= 0.8) model.delete(id);
      else
        model.set(id, {
          ...k,
          uid: 'u-2',
          version: outcome.version,
          storedVersion: '',
          defaults: 0,
          body: body(`s${step}`),
        });
      states.push([outcome.version, [...model.values()].sort((a, b) => compare(a, b))]);
    }
    for (const [version, rows] of states) {
      const found = await rowsOf(await rig.store.snapshot({ type, at: version }));
      expect(found.map(essence), `seed ${seed}, version ${version}`).toEqual(rows.map(essence));
      const one = await rowsOf(await rig.store.snapshot({ type, at: version, namespace: 'n1', limit: 4 }));
      expect(one.map(essence)).toEqual(
        rows
          .filter((r) => r.namespace === 'n1')
          .slice(0, 4)
          .map(essence),
      );
    }
  });
}
