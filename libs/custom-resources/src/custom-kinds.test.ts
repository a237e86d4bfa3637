import { type DefinitionServer, DefinitionServers, thingDefinition } from '@orch/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let servers: DefinitionServers;
beforeAll(async () => {
  servers = await DefinitionServers.start();
});
afterAll(() => servers.dispose());
beforeEach(() => servers.fresh());

const THINGS = 'things.example.com';
const POLL = { timeout: 30_000, interval: 10 };

const becomes = (server: DefinitionServer, type: string, told: string | undefined, name = THINGS) =>
  expect.poll(() => server.condition(name, type), POLL).toBe(told);
const isEstablished = (server: DefinitionServer, name = THINGS) =>
  becomes(server, 'Established', 'True InitialNamesAccepted', name);
const isGone = (server: DefinitionServer, name = THINGS) => expect.poll(() => server.get(name), POLL).toBeUndefined();

/** Resolves once a process that decides has looked at the others several times more. */
async function looksOn(server: DefinitionServer): Promise<void> {
  const before = server.looks;
  await expect.poll(() => server.looks, POLL).toBeGreaterThan(before + 4);
}

/** Something to wait for, and what ends the wait. */
function held(): { until: Promise<void>; release: () => void } {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release: () => release() };
}

describe('a definition that is made', () => {
  it('is given its names, served, and then established', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    await server.create(thingDefinition({ names: { shortNames: ['th'] } }));
    await isEstablished(server);
    expect((await server.get(THINGS))?.status).toEqual({
      acceptedNames: { plural: 'things', singular: 'thing', shortNames: ['th'], kind: 'Thing', listKind: 'ThingList' },
      conditions: [
        expect.objectContaining({ type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' }),
        expect.objectContaining({ type: 'Established', status: 'True', reason: 'InitialNamesAccepted' }),
      ],
      storedVersions: ['v1'],
    });
    await expect.poll(() => server.kind(THINGS)?.definition.isEstablished, POLL).toBe(true);
    expect(server.errors).toEqual([]);
  });

  it('tells how it was approved, also when that changes', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    const type = 'KubernetesAPIApprovalPolicyConformant';
    const name = 'things.x.k8s.io';
    const note = (text: string) => ({ annotations: { 'api-approved.kubernetes.io': text } });
    await server.create(thingDefinition({ group: 'x.k8s.io' }, note('unapproved, tried out')));
    await becomes(server, type, 'False UnapprovedAnnotation', name);
    await server.update(name, (one) => ({
      ...one,
      metadata: { ...one.metadata, ...note('https://example.com/pull/1') },
    }));
    await becomes(server, type, 'True ApprovedAnnotation', name);
    await isEstablished(server, name);
  });

  it('is established only when every server serves it', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    const { until, release } = held();
    two.hold = until;
    await one.create(thingDefinition());
    await becomes(one, 'NamesAccepted', 'True NoConflicts');
    await looksOn(one);
    expect(await one.condition(THINGS, 'Established')).toBe('False Installing');
    expect(two.kind(THINGS)).toBeUndefined();
    release();
    await isEstablished(one);
    expect(two.kind(THINGS)).toBeDefined();
  });

  it('does not wait for a server that has died once its time is over, nor for one that has ended', async () => {
    const [one, two, three] = (await servers.opened(3)) as [DefinitionServer, DefinitionServer, DefinitionServer];
    await three.stop();
    const { until } = held();
    two.hold = until;
    await one.create(thingDefinition());
    await becomes(one, 'NamesAccepted', 'True NoConflicts');
    await two.kill();
    await looksOn(one);
    expect(await one.condition(THINGS, 'Established')).toBe('False Installing');
    const { rows } = await servers.query('SELECT max(until) - clock_timestamp() < $1 AS soon FROM server', ['10 s']);
    expect(rows).toEqual([{ soon: true }]);
    await servers.expire();
    await isEstablished(one);
  });

  it('is served by a server that starts before this answers', async () => {
    const [one] = (await servers.opened(1)) as [DefinitionServer];
    await one.create(thingDefinition());
    await isEstablished(one);
    const two = await servers.open();
    await two.start(false);
    expect(two.kind(THINGS)?.definition.isEstablished).toBe(true);
  });

  it('waits for a server that is about to answer', async () => {
    const [one] = (await servers.opened(1)) as [DefinitionServer];
    await one.create(thingDefinition());
    await isEstablished(one);
    const two = await servers.open();
    const { until, release } = held();
    two.hold = until;
    let started = false;
    const starting = two.start(false).then(() => {
      started = true;
    });
    const count = async () => (await servers.query('SELECT count(*)::int AS n FROM server')).rows[0].n;
    await expect.poll(count, POLL).toBe(2);
    await one.create(thingDefinition({ group: 'later.com' }));
    await becomes(one, 'NamesAccepted', 'True NoConflicts', 'things.later.com');
    await looksOn(one);
    expect(await one.condition('things.later.com', 'Established')).toBe('False Installing');
    expect(started).toBe(false);
    release();
    await starting;
    expect(two.kind(THINGS)).toBeDefined();
    await isEstablished(one, 'things.later.com');
  });

  it('is decided on by another process when the one that does has died, or has ended', async () => {
    const all = await Promise.all([servers.open(), servers.open(), servers.open()]);
    const [one, two, three] = all;
    await one.start(true);
    await one.create(thingDefinition({ group: 'a.com' }));
    await isEstablished(one, 'things.a.com');
    for (const server of [two, three]) await server.start(true);
    await one.kill();
    await servers.expire();
    await two.create(thingDefinition({ group: 'b.com' }));
    await isEstablished(two, 'things.b.com');
    const leader = two.looks > 0 ? two : three;
    const other = leader === two ? three : two;
    expect(other.looks).toBe(0);
    await leader.stop();
    await other.create(thingDefinition({ group: 'c.com' }));
    await isEstablished(other, 'things.c.com');
    expect(other.errors).toEqual([]);
  });

  it('is told so though another cannot be told anything, which is tried again', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    server.refused.add('things.refused.com');
    await server.create(thingDefinition({ group: 'refused.com' }));
    await expect.poll(() => server.errors.length, POLL).toBeGreaterThan(0);
    await server.create(thingDefinition());
    await isEstablished(server);
    expect(await server.condition('things.refused.com', 'NamesAccepted')).toBeUndefined();
    expect(server.errors.length).toBeLessThan(10);
    server.refused.clear();
    await isEstablished(server, 'things.refused.com');
  });

  it('is served again after a restart', async () => {
    const [one] = (await servers.opened(1)) as [DefinitionServer];
    await one.create(thingDefinition());
    await isEstablished(one);
    await one.stop();
    const [again] = (await servers.opened(1)) as [DefinitionServer];
    expect(again.kind(THINGS)?.definition.isEstablished).toBe(true);
  });

  it('is not served where it speaks of a built-in resource, and does no harm when it goes', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    const note = { annotations: { 'api-approved.kubernetes.io': 'unapproved' } };
    const name = 'leases.coordination.k8s.io';
    const called = { plural: 'leases', singular: 'lease', kind: 'Lease', listKind: 'LeaseList' };
    await server.create(thingDefinition({ group: 'coordination.k8s.io', names: called }, note));
    await isEstablished(server, name);
    expect(server.served.now).toEqual([]);
    await server.remove(name);
    await isGone(server, name);
  });
});

describe('definitions that want the same names', () => {
  const second = thingDefinition({ names: { plural: 'seconds', singular: 'second' } });
  const SECONDS = 'seconds.example.com';

  it('are told of the conflict, and get the names when these are free', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    await one.create(thingDefinition());
    await isEstablished(one);
    await two.create(second);
    await becomes(one, 'NamesAccepted', 'False ListKindConflict', SECONDS);
    expect(await one.condition(SECONDS, 'Established')).toBe('False NotAccepted');
    expect(one.kind(SECONDS)).toBeUndefined();
    await one.remove(THINGS);
    await isEstablished(two, SECONDS);
    expect(two.kind(SECONDS)?.definition.names.kind).toBe('Thing');
  });

  it('that they give up hold nobody up', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    const own = { plural: 'thirds', singular: 'third', kind: 'Third', listKind: 'ThirdList' };
    const asking = (shortNames: string[]) => thingDefinition({ names: { ...own, shortNames } });
    await one.create(thingDefinition({ names: { shortNames: ['th'] } }));
    await isEstablished(one);
    const THIRDS = 'thirds.example.com';
    await two.create(asking(['th']));
    await becomes(one, 'NamesAccepted', 'False ShortNamesConflict', THIRDS);
    await two.update(THIRDS, (current) => ({ ...current, spec: asking([]).spec }));
    await isEstablished(one, THIRDS);
    expect(await two.condition(THIRDS, 'NamesAccepted')).toBe('True NoConflicts');
  });

  it('never both have them, whoever makes them, and when', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    const plurals = Array.from({ length: 12 }, (_, at) => `p${at}`);
    await Promise.all(
      plurals.map((plural, at) =>
        (at % 2 ? one : two).create(thingDefinition({ names: { plural, singular: `s${plural}` } })),
      ),
    );
    const told = () => Promise.all(plurals.map((plural) => one.condition(`${plural}.example.com`, 'NamesAccepted')));
    await expect.poll(told, POLL).not.toContain(undefined);
    expect((await told()).filter((condition) => condition?.startsWith('True'))).toHaveLength(1);
    const kinds = await Promise.all(plurals.map((plural) => one.get(`${plural}.example.com`)));
    expect(kinds.filter((kind) => JSON.stringify(kind?.status).includes('"kind":"Thing"'))).toHaveLength(1);
  });
});

describe('what is served', () => {
  it('stays the same where a definition does not change', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    const OTHER = 'things.other.com';
    await server.create(thingDefinition());
    await server.create(thingDefinition({ group: 'other.com' }));
    await isEstablished(server);
    await isEstablished(server, OTHER);
    await expect.poll(() => server.served.now.every(({ definition }) => definition.isEstablished), POLL).toBe(true);
    const [before, other, changes] = [server.kind(THINGS), server.kind(OTHER), server.served.changes];
    await server.update(THINGS, (one) => ({ ...one, metadata: { ...one.metadata, labels: { a: 'b' } } }));
    const spec = { categories: ['all'] };
    await server.update(OTHER, (one) => {
      const { names, ...rest } = one.spec as { names: object };
      return { ...one, spec: { ...rest, names: { ...names, ...spec } } };
    });
    await expect.poll(() => server.kind(OTHER)?.definition.names.categories, POLL).toEqual(['all']);
    expect(server.kind(THINGS)?.endpoints).toBe(before?.endpoints);
    expect(server.kind(OTHER)?.endpoints).not.toBe(other?.endpoints);
    expect(server.served.changes).toBeGreaterThan(changes);
  });

  it('does not change for what nobody is served', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    await server.create(thingDefinition());
    await isEstablished(server);
    await expect.poll(() => server.kind(THINGS)?.definition.isEstablished, POLL).toBe(true);
    const { changes } = server.served;
    await server.update(THINGS, (one) => ({ ...one, metadata: { ...one.metadata, labels: { a: 'b' } } }));
    await server.create(thingDefinition({ names: { plural: 'others', singular: 'other' } }));
    await becomes(server, 'NamesAccepted', 'False ListKindConflict', 'others.example.com');
    expect(server.served.changes).toBe(changes);
  });

  it('are the others where one cannot be made; that one goes all the same once it can', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    server.broken.add('things.bad.com');
    await server.create(thingDefinition({ group: 'bad.com' }));
    await server.create(thingDefinition());
    await isEstablished(server);
    await isEstablished(server, 'things.bad.com');
    expect(server.served.now.map(({ definition }) => definition.name)).toEqual([THINGS]);
    expect(server.errors.map(String)).toEqual(['Error: things.bad.com is broken']);
    await server.remove('things.bad.com');
    await becomes(server, 'Terminating', 'True InstanceDeletionFailed', 'things.bad.com');
    server.broken.clear();
    await isGone(server, 'things.bad.com');
  });
});

describe('a definition that is deleted', () => {
  async function withObjects(server: DefinitionServer, ...objects: string[]): Promise<void> {
    await server.create(thingDefinition());
    await isEstablished(server);
    for (const name of objects) await server.makeObject(THINGS, { metadata: { name } });
  }

  it('takes its objects with it, and those who are served of it; one of its name does not see them', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    await withObjects(one, 'a', 'b', 'c');
    expect(await two.objects(THINGS)).toEqual(['a', 'b', 'c']);
    const before = two.needed(THINGS);
    await two.remove(THINGS);
    await isGone(one);
    for (const server of [one, two]) await expect.poll(() => server.kind(THINGS), POLL).toBeUndefined();
    await one.create(thingDefinition());
    await isEstablished(one);
    expect(await two.objects(THINGS)).toEqual([]);
    expect(two.kind(THINGS)?.endpoints).not.toBe(before.endpoints);
    await expect(two.kinds.beginCreation(before.definition)).rejects.toThrow(
      'create not allowed while custom resource definition is terminating',
    );
    expect([...one.errors, ...two.errors]).toEqual([]);
  });

  it('waits for objects that somebody keeps, and says so', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    await withObjects(server, 'a');
    await server.makeObject(THINGS, { metadata: { name: 'kept', finalizers: ['example.com/x'] } });
    await server.remove(THINGS);
    await becomes(server, 'Terminating', 'True InstanceDeletionCheck');
    expect(await server.objects(THINGS)).toEqual(['kept']);
    expect(server.kind(THINGS)?.definition.isTerminating).toBe(true);
    await expect(server.makeObject(THINGS, { metadata: { name: 'new' } })).rejects.toMatchObject({ code: 405 });
    await server.letGo(THINGS, 'kept');
    await isGone(server);
  });

  it('and was never served goes, and the other that has the names stays', async () => {
    const [server] = (await servers.opened(1)) as [DefinitionServer];
    await withObjects(server);
    await server.create(thingDefinition({ names: { plural: 'others', singular: 'other' } }));
    await becomes(server, 'NamesAccepted', 'False ListKindConflict', 'others.example.com');
    await server.remove('others.example.com');
    await isGone(server, 'others.example.com');
    expect(server.kind(THINGS)).toBeDefined();
  });

  it('waits for objects that another server is making', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    await withObjects(one, 'a');
    await expect.poll(() => two.kind(THINGS), POLL).toBeDefined();
    const end = await two.kinds.beginCreation(two.needed(THINGS).definition);
    await one.remove(THINGS);
    await expect.poll(() => two.kind(THINGS)?.definition.isTerminating, POLL).toBe(true);
    await looksOn(one);
    expect(await one.condition(THINGS, 'Terminating')).toBe('True InstanceDeletionPending');
    expect(await one.objects(THINGS)).toEqual(['a']);
    expect(end()).toBe('keep');
    await isGone(one);
  });

  it('waits for no object of another kind', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    const others = 'things.other.com';
    await withObjects(one, 'a');
    await one.create(thingDefinition({ group: 'other.com' }));
    await isEstablished(one, others);
    await expect.poll(() => [two.kind(THINGS), two.kind(others)], POLL).not.toContain(undefined);
    const end = await two.kinds.beginCreation(two.needed(THINGS).definition);
    await one.remove(THINGS);
    await one.remove(others);
    await isGone(one, others);
    expect(await one.objects(THINGS)).toEqual(['a']);
    end();
    await isGone(one);
  });

  it('waits for a server that does not know of it yet', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    await withObjects(one, 'a');
    // It serves a new one later, and so everything that came after it.
    const { until, release } = held();
    two.hold = until;
    await one.create(thingDefinition({ group: 'new.com' }));
    await becomes(one, 'NamesAccepted', 'True NoConflicts', 'things.new.com');
    await one.remove(THINGS);
    await looksOn(one);
    expect(await one.objects(THINGS)).toEqual(['a']);
    release();
    await isGone(one);
  });

  it('goes when the process has died that had begun with it', async () => {
    const [one, two] = (await servers.opened(2)) as [DefinitionServer, DefinitionServer];
    await withObjects(one, 'a');
    await one.makeObject(THINGS, { metadata: { name: 'kept', finalizers: ['example.com/x'] } });
    await one.remove(THINGS);
    await becomes(two, 'Terminating', 'True InstanceDeletionCheck');
    await one.kill();
    const three = await servers.open();
    await three.start(true);
    await servers.expire();
    await expect.poll(() => three.looks, POLL).toBeGreaterThan(0);
    expect(await three.objects(THINGS)).toEqual(['kept']);
    await three.letGo(THINGS, 'kept');
    await isGone(three);
  });
});
