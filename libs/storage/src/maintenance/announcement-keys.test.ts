import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openStore, type PostgresStore } from '../postgres-store.js';
import { startTestServer, type TestServer } from '../testing/servers.js';

let server: TestServer;
let schema: string;
let stores: readonly [PostgresStore, PostgresStore];
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.dispose());
beforeEach(async () => {
  schema = server.freshSchema();
  const open = () => openStore({ url: server.url, naming: 'orch', schema });
  stores = [await open(), await open()];
  return async () => {
    await Promise.all(stores.map((store) => store.close()));
  };
});

const DAY = 86_400_000;

/** As if so much time (an interval of PostgreSQL) had gone by. */
async function passes(interval: string): Promise<void> {
  const session = await server.session(schema);
  await session.query('UPDATE announcement_key SET signs_from = signs_from - $1::interval', [interval]);
}

it('is made once, however many ask', async () => {
  const all = await Promise.all([...stores, ...stores].map((store) => store.announcementKeys(DAY)));
  expect(new Set(all.map(({ signing }) => signing.secret.toString('hex'))).size).toBe(1);
  expect(all[0]?.signing.secret).toHaveLength(32);
  expect(all[0]?.accepted).toEqual([all[0]?.signing]);
});

it('is announced before it signs, and accepted for a while after it was replaced', async () => {
  const [one, two] = stores;
  const first = (await one.announcementKeys(DAY)).signing;
  await passes('23 hours');
  expect((await two.announcementKeys(DAY)).accepted).toEqual([first]);
  await passes('2 hours');
  const announced = await two.announcementKeys(DAY);
  expect(announced.signing).toEqual(first);
  expect(announced.accepted).toHaveLength(2);
  const second = announced.accepted[1];
  expect(second?.id).not.toBe(first.id);
  expect(second?.secret).not.toEqual(first.secret);
  expect(await one.announcementKeys(DAY)).toEqual(announced);
  await passes('11 minutes');
  expect(await one.announcementKeys(DAY)).toEqual({ signing: second, accepted: [first, second] });
  await passes('11 minutes');
  expect(await one.announcementKeys(DAY)).toEqual({ signing: second, accepted: [second] });
});

it('stays for ever where it is not to be replaced', async () => {
  const before = await stores[0].announcementKeys(0);
  await passes('10 years');
  expect(await stores[1].announcementKeys(0)).toEqual(before);
});

it('signs before its time where the clock of the database was set back', async () => {
  const before = await stores[0].announcementKeys(DAY);
  await passes('-1 hour');
  expect(await stores[1].announcementKeys(DAY)).toEqual(before);
});

it('is another one in another epoch, and no id is used twice', async () => {
  const [one, two] = stores;
  const before = await one.announcementKeys(DAY);
  const [type = 0] = await one.registerTypes([{ group: '', resource: 'a' }]);
  const { head = 0n } = (await one.heads([type])).get(type) ?? {};
  one.noteAnnounced(type, head + 50n);
  await one.heads([type]);
  expect(one.epoch).toBe(2n);
  const after = await two.announcementKeys(DAY);
  expect(after.accepted).toHaveLength(1);
  expect(after.signing.id).toBeGreaterThan(before.signing.id);
  expect(after.signing.secret).not.toEqual(before.signing.secret);
});

it('is told to be forgotten when history goes on elsewhere, though connections have lived through it', async () => {
  const [one, two] = stores;
  const before = await one.announcementKeys(DAY);
  const [type = 0] = await one.registerTypes([{ group: '', resource: 'a' }]);
  await two.heads([type]);
  const forgotten: string[] = [];
  two.onAnnouncementKeysForgotten(() => forgotten.push('two'));
  const session = await server.session(schema);
  await session.query(
    `UPDATE heartbeat SET at = at - interval '1 minute'; SELECT resume_history(NULL, NULL, 10000000, 1, 5)`,
  );
  await two.heads([type]);
  expect(forgotten).toEqual(['two']);
  expect((await two.announcementKeys(DAY)).signing).not.toEqual(before.signing);
  await two.heads([type]);
  expect(forgotten).toEqual(['two']);
});
