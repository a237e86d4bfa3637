import { expect, it } from 'vitest';
import type { Version } from '../store.js';
import { body, key, type Rig, versionOf } from './rig.js';

/** Writes that meet, and writes that travel together. */
export function describeConcurrentWrites(rig: Rig): void {
  const { freshType, create, headOf } = rig;

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

  it('commits chains of writes of one object together, each as a version, and none behind a refusal', async () => {
    const type = await freshType();
    const { head: start } = await headOf(type);
    const base = versionOf(await create(type, key('hot'), '0'));
    const link = (text: string, version: Version | 'previous', terminating = false) =>
      ({ op: 'update', type, ...key('hot'), version, body: body(text), terminating }) as const;
    const [chain, alone, lost] = await Promise.all([
      rig.store.writeChain([link('1', base), link('2', 'previous'), link('3', 'previous')]),
      create(type, key('cold')),
      rig.store.writeChain([link('x', base), link('y', 'previous')]),
    ]);
    const versions = chain.map(versionOf);
    expect(alone.outcome).toBe('committed');
    expect(lost.map(({ outcome }) => outcome)).toEqual(['conflict', 'conflict']);
    expect([...versions].sort()).toEqual(versions);
    expect(await rig.store.get(type, key('hot'))).toMatchObject({ version: versions[2], body: body('3') });
    const end = { op: 'delete', type, ...key('hot'), version: 'previous', body: body('last') } as const;
    const ended = await rig.store.writeChain([link('4', versions[2] ?? 0n), end, link('5', 'previous')]);
    expect(ended.map(({ outcome }) => outcome)).toEqual(['committed', 'committed', 'not-found']);
    const history = (await rig.store.changes(type, start, 100)).filter(({ name }) => name === 'hot');
    expect(history.map((c) => [c.op, c.body.toString(), c.prior?.toString()])).toEqual([
      ['create', body('0').toString(), undefined],
      ...['1', '2', '3', '4'].map((t, i) => ['update', body(t).toString(), body(`${i}`).toString()]),
      ['delete', body('last').toString(), body('4').toString()],
    ]);
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
