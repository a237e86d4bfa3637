import { expect, it } from 'vitest';
import { body, key, type Rig, versionOf } from './rig.js';

/** Writes that meet, and writes that travel together. */
export function describeConcurrentWrites(rig: Rig): void {
  const { freshType, create } = rig;

  it('lets one of many writers of a version win', async () => {
    const type = await freshType();
    const version = versionOf(await create(type, key('hot')));
    const other = await rig.peer();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? rig.store : other).write({
          op: 'update',
          type,
          ...key('hot'),
          version,
          body: body(`${i}`),
          terminating: false,
        }),
      ),
    );
    const winner = outcomes.findIndex((o) => o.outcome === 'committed');
    expect(outcomes.filter((o) => o.outcome === 'committed')).toHaveLength(1);
    expect(outcomes.filter((o) => o.outcome === 'conflict')).toHaveLength(19);
    expect((await rig.store.get(type, key('hot')))?.body).toEqual(body(`${winner}`));
  });

  it('takes the same key twice in one breath', async () => {
    const type = await freshType();
    const outcomes = await Promise.all([
      create(type, key('k'), '1'),
      create(type, key('k'), '2'),
      create(type, key('l')),
    ]);
    expect(outcomes.map((o) => o.outcome)).toEqual(['committed', 'already-exists', 'committed']);
  });
}
