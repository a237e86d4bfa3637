import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Change } from '@orch/storage';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChangeBus } from './feed.js';
import { jetStreamBus } from './jetstream-bus.js';
import { Seal, sealingKey } from './seal.js';
import { anyPlaces, type ChangePlaces, permissionsOf, placesOf } from './subjects.js';
import { available, cleanUp, freePort, openGate, startServer, stops, testDirectory } from './testing/nats-server.js';

afterEach(cleanUp);

const PLACES = placesOf('orch', 'c-1');
const POLL = { timeout: 30_000, interval: 20 };
const KEY = sealingKey(1, Buffer.alloc(32, 7));
const seal = new Seal('cluster');
const keyring = {
  sign: (message: Uint8Array) => seal.put(message, KEY),
  verify: (message: Uint8Array) => seal.check(message, () => KEY),
};

const change = (version: bigint): Change => ({
  ...{ type: 5, version, previous: version - 1n, op: 'create', namespace: 'a', name: 'b', uid: 'u' },
  ...{ storedVersion: '', defaults: 0, body: Buffer.from('{}'), at: 1 },
});

/** A server that knows an `api-server` and a `gateway`, each by its name as password, and lets them do that and no more. */
async function startKnowing(places: ChangePlaces): Promise<number> {
  const [port, store_dir] = [await freePort(), testDirectory()];
  const users = (['api-server', 'gateway'] as const).map((user) => {
    const { publish, subscribe } = permissionsOf(user, places);
    return { user, password: user, permissions: { publish: { allow: publish }, subscribe: { allow: subscribe } } };
  });
  await startServer(port, JSON.stringify({ jetstream: { store_dir }, authorization: { users } }));
  return port;
}

function busOf(port: number, user: 'api-server' | 'gateway') {
  const passwordFile = join(testDirectory(), 'password');
  writeFileSync(passwordFile, user);
  const failures: string[] = [];
  const bus = jetStreamBus({
    ...PLACES,
    servers: [`127.0.0.1:${port}`],
    identity: { user, passwordFile },
    keyring,
    reconnectWait: 20,
    makesStream: user === 'api-server',
    onError: (error) => failures.push(String(error)),
  });
  stops.push(() => bus.close());
  return { bus, failures };
}

const connected = (bus: ChangeBus) =>
  new Promise<void>((resolve) => {
    const stop = bus.onConnected(() => {
      stop();
      resolve();
    });
  });

describe.skipIf(!available)('the permissions of a user', () => {
  it.each([
    ['of one installation', PLACES],
    ['of any', anyPlaces('orch')],
  ])('are enough to announce, to hear, and to read again what was missed: those %s', async (_, places) => {
    const port = await startKnowing(places);
    const gate = await openGate(port);
    const [from, to] = [busOf(port, 'api-server'), busOf(gate.port, 'gateway')];
    await Promise.all([connected(from.bus), connected(to.bus)]);
    const looker = await connect({ servers: `127.0.0.1:${port}`, user: 'gateway', pass: 'gateway' });
    stops.push(() => looker.close());
    const manager = await jetstreamManager(looker);
    const stored = () => manager.streams.info(PLACES.streamName).then(({ state }) => state.messages);
    await expect.poll(() => stored().catch(() => -1), POLL).toBe(0);
    const heard: bigint[] = [];
    to.bus.subscribe(5, (changes) => heard.push(...changes.map(({ version }) => version)));
    let version = 0n;
    // The subscription is on its way to the server.
    await expect
      .poll(() => {
        from.bus.publish([change(++version)]);
        return heard.length;
      }, POLL)
      .toBeGreaterThan(0);
    const back = connected(to.bus);
    gate.shut();
    const missed = ++version;
    const before = await stored();
    from.bus.publish([change(missed)]);
    await expect.poll(stored, POLL).toBeGreaterThan(before);
    gate.open();
    await back;
    expect(heard).toContain(missed);
    expect([...from.failures, ...to.failures].filter((failure) => /permission/i.test(failure))).toEqual([]);
  });

  it.each([
    ['gateway', 'publish', 'orch.c-1.changes.5'],
    ['gateway', 'publish', '$JS.API.STREAM.CREATE.orch-c-1'],
    ['gateway', 'publish', '$JS.API.STREAM.PURGE.orch-c-1'],
    ['gateway', 'publish', '$JS.API.STREAM.MSG.DELETE.orch-c-1'],
    ['gateway', 'publish', '_INBOX.of.somebody'],
    ['gateway', 'subscribe', '>'],
    ['gateway', 'subscribe', '$JS.API.>'],
    ['api-server', 'publish', 'orch.c-2.changes.5'],
    ['api-server', 'publish', '$JS.API.STREAM.DELETE.orch-c-1'],
    ['api-server', 'publish', '$JS.API.STREAM.UPDATE.orch-c-1'],
    ['api-server', 'publish', '$JS.API.CONSUMER.CREATE.another.x'],
    ['api-server', 'subscribe', 'orch.c-2.changes.*'],
  ] as const)('let a %s not %s %s', async (user, what, subject) => {
    const port = await startKnowing(PLACES);
    const connection = await connect({ servers: `127.0.0.1:${port}`, user, pass: user });
    stops.push(() => connection.close());
    const refused: string[] = [];
    void (async () => {
      for await (const status of connection.status()) if (status.type === 'error') refused.push(String(status.error));
    })();
    if (what === 'publish') connection.publish(subject, '');
    else connection.subscribe(subject, { callback: (error) => void (error && refused.push(String(error))) });
    await expect.poll(() => refused.join(), POLL).toContain(subject);
  });
});
