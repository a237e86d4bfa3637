import { createConnection } from 'node:net';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Change } from '@orch/storage';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnnouncedChange, ChangeBus } from './feed.js';
import { type JetStreamBusOptions, jetStreamBus, type MessageRefusal } from './jetstream-bus.js';
import { encodeBatches } from './record.js';
import { Seal, sealingKey } from './seal.js';
import { available, cleanUp, freePort, kill, openGate, startServer, stops } from './testing/nats-server.js';

afterEach(cleanUp);

const KEY = sealingKey(1, Buffer.alloc(32, 7));
const seal = new Seal('cluster');
const keyring: JetStreamBusOptions['keyring'] = {
  sign: (message) => seal.put(message, KEY),
  verify: (message) => seal.check(message, (id) => (id === KEY.id ? KEY : undefined)),
};

function openBus(port: number, options: Partial<JetStreamBusOptions> = {}): ChangeBus {
  const bus = jetStreamBus({
    servers: [`127.0.0.1:${port}`],
    keyring,
    subjectPrefix: 'test',
    streamName: 'test-changes',
    reconnectWait: 20,
    ...options,
  });
  stops.push(() => bus.close());
  return bus;
}

function connected(bus: ChangeBus): Promise<void> {
  return new Promise((resolve) => {
    const stop = bus.onConnected(() => {
      stop();
      resolve();
    });
  });
}

function change(version: bigint, body = '{}', type = 5): Change {
  const body_ = Buffer.from(body);
  return {
    type,
    version,
    previous: version - 1n,
    op: 'create',
    namespace: 'a',
    name: 'b',
    uid: 'u',
    storedVersion: '',
    defaults: 0,
    body: body_,
    at: 1,
  };
}

/** Looks at the stream, once it is there. */
async function streamOf(port: number) {
  const connection = await connect({ servers: `127.0.0.1:${port}` });
  stops.push(() => connection.close());
  const manager = await jetstreamManager(connection);
  const info = () => manager.streams.info('test-changes').catch(() => undefined);
  while ((await info()) === undefined);
  return info;
}

/** What a bus brings of a type, and a promise for the moment when a version has come. */
function listen(bus: ChangeBus, type = 5) {
  const heard: AnnouncedChange[] = [];
  const waiting: { version: bigint; resolve: () => void }[] = [];
  bus.subscribe(type, (changes) => {
    heard.push(...changes);
    for (const { version, resolve } of waiting) if (heard.some((each) => each.version === version)) resolve();
  });
  return { heard, until: (version: bigint) => new Promise<void>((resolve) => waiting.push({ version, resolve })) };
}

describe.skipIf(!available)('jetStreamBus', () => {
  it('brings what is published on one to who listens on another', async () => {
    const port = await freePort();
    await startServer(port);
    const [from, to] = [openBus(port), openBus(port)];
    await Promise.all([connected(from), connected(to)]);
    const { heard, until } = listen(to);
    const others = listen(to, 6);
    // The subscription is in place once the server has answered on the same connection.
    const first = until(1n);
    to.publish([change(1n)]);
    await first;
    const last = Promise.all([until(3n), others.until(4n)]);
    from.publish([change(2n), change(3n), change(4n, '{}', 6)]);
    await last;
    expect(heard).toEqual([change(1n), change(2n), change(3n)]);
    expect(others.heard).toEqual([change(4n, '{}', 6)]);
    expect(from.healthy()).toBe(true);
  });

  it('leaves a body behind that the server would refuse', async () => {
    const port = await freePort();
    await startServer(port);
    const bus = openBus(port);
    await connected(bus);
    const { heard, until } = listen(bus);
    const done = until(2n);
    bus.publish([change(1n, 'x'.repeat(2 << 20)), change(2n)]);
    await done;
    expect(heard.map(({ version, bodyOmitted }) => [version, bodyOmitted])).toEqual([
      [1n, true],
      [2n, undefined],
    ]);
  });

  it('makes a stream that keeps announcements for a moment', async () => {
    const port = await freePort();
    await startServer(port);
    const bus = openBus(port);
    await connected(bus);
    const info = await streamOf(port);
    const { until } = listen(bus);
    const second = until(2n);
    bus.publish([change(1n)]);
    bus.publish([change(2n)]);
    await second;
    let messages = 0;
    while (messages < 2) messages = (await info())?.state.messages ?? 0;
    expect(messages).toBe(2);
    expect((await info())?.config).toMatchObject({ storage: 'memory', max_age: 60e9, max_bytes: 64 << 20 });
  });

  it('reads from the stream what it missed in a short loss of its connection, and only that', async () => {
    const port = await freePort();
    await startServer(port);
    const gate = await openGate(port);
    const refused: MessageRefusal[] = [];
    const [from, to] = [openBus(port), openBus(gate.port, { onRefused: (reason) => refused.push(reason) })];
    await Promise.all([connected(from), connected(to)]);
    await streamOf(port);
    const { heard, until } = listen(to);
    const first = until(1n);
    to.publish([change(1n)]);
    await first;
    const back = connected(to);
    gate.shut();
    // What is published is in the stream before anybody can come back.
    from.publish([change(2n)]);
    const forger = await connect({ servers: `127.0.0.1:${port}` });
    stops.push(() => forger.close());
    forger.publish('test.changes.5', encodeBatches([change(3n)], 1000)[0]);
    await forger.flush();
    gate.open();
    await back;
    expect(heard.map(({ version }) => version)).toContain(2n);
    expect(heard.map(({ version }) => version)).not.toContain(3n);
    expect(refused).toEqual(['unsigned']);
  });

  it('drops and counts what is forged, altered, truncated, from elsewhere or misdirected, and goes on', async () => {
    const port = await freePort();
    await startServer(port);
    const refused: MessageRefusal[] = [];
    const bus = openBus(port, { onRefused: (reason) => refused.push(reason), readTraces: true });
    await connected(bus);
    const { heard, until } = listen(bus);
    const hostile = await connect({ servers: `127.0.0.1:${port}` });
    stops.push(() => hostile.close());
    const [batch = new Uint8Array()] = encodeBatches([change(2n)], 1000);
    const sealed = seal.put(batch, KEY);
    const altered = Buffer.from(sealed);
    altered.writeUInt8((altered[9] ?? 0) ^ 1, 9);
    const [beyond = new Uint8Array()] = encodeBatches([{ ...change(2n ** 63n - 1n) }], 1000);
    const done = until(3n);
    for (const payload of [
      batch,
      altered,
      sealed.subarray(0, -1),
      sealed.subarray(1),
      new Seal('another').put(batch, KEY),
      seal.put(batch, sealingKey(KEY.id, Buffer.alloc(32, 8))),
      seal.put(batch, sealingKey(2, Buffer.alloc(32, 7))),
      seal.put(beyond, KEY),
      seal.put(Buffer.from('no batch'), KEY),
      new Uint8Array(),
    ])
      hostile.publish('test.changes.5', payload);
    const [other = new Uint8Array()] = encodeBatches([change(2n, '{}', 6)], 1000);
    hostile.publish('test.changes.5', seal.put(other, KEY));
    await hostile.flush();
    bus.publish([change(3n)]);
    await done;
    expect(heard).toEqual([change(3n)]);
    expect(refused).toEqual([
      'unsigned',
      'forged',
      'unsigned',
      'forged',
      'forged',
      'forged',
      'unknown-key',
      'malformed',
      'malformed',
      'unsigned',
      'misdirected',
    ]);
  });

  it('outlives headers that are none', async () => {
    const port = await freePort();
    await startServer(port);
    const bus = openBus(port, { readTraces: true });
    await connected(bus);
    const { until } = listen(bus);
    const hostile = createConnection(port, '127.0.0.1');
    stops.push(() => void hostile.destroy());
    const [batch = new Uint8Array()] = encodeBatches([change(1n)], 1000);
    const sealed = seal.put(batch, KEY);
    const head = 'NATS/1.0\r\n\u0000:::\r\nno colon\r\n\r\n';
    const total = head.length + sealed.length;
    const done = until(2n);
    await new Promise<void>((resolve) => {
      hostile.on('data', (data) => {
        if (data.includes('PONG')) resolve();
      });
      hostile.write('CONNECT {"verbose":false,"headers":true}\r\n');
      hostile.write(`HPUB test.changes.5 ${head.length} ${total}\r\n${head}`);
      hostile.write(sealed);
      hostile.write('\r\nPING\r\n');
    });
    bus.publish([change(2n)]);
    await done;
    expect(bus.healthy()).toBe(true);
  });

  it('announces without bodies what is not to travel, and nothing without a key', async () => {
    const port = await freePort();
    await startServer(port);
    let dropped = 0;
    const mute = openBus(port, {
      keyring: { ...keyring, sign: () => undefined },
      onDropped: (changes) => {
        dropped += changes;
      },
    });
    const bus = openBus(port, { omitsBodies: (type) => type === 5 });
    await Promise.all([connected(mute), connected(bus)]);
    const { heard, until } = listen(bus);
    const open = listen(bus, 6);
    const both = Promise.all([until(1n), open.until(2n)]);
    mute.publish([change(9n), change(10n)]);
    bus.publish([change(1n, 'secret'), change(2n, 'open', 6)]);
    await both;
    expect(heard).toMatchObject([{ version: 1n, body: Buffer.alloc(0), bodyOmitted: true }]);
    expect(open.heard).toEqual([change(2n, 'open', 6)]);
    expect(dropped).toBe(2);
  });

  it('drops what is published while too much has not been sent, and goes on when it has', async () => {
    const port = await freePort();
    await startServer(port);
    const dropped: number[] = [];
    let taken = (): void => undefined;
    const bus = openBus(port, {
      maxUnsentBytes: 10_000,
      onDropped: (changes) => dropped.push(changes),
      onTaken: () => taken(),
    });
    await connected(bus);
    const { heard, until } = listen(bus);
    const sent = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const second = until(2n);
    for (const version of [1n, 2n, 3n, 4n]) bus.publish([change(version, 'x'.repeat(6_000))]);
    expect(dropped).toEqual([1, 1]);
    await Promise.all([second, sent]);
    const last = until(6n);
    bus.publish([change(5n), change(6n)]);
    await last;
    expect(heard.map(({ version }) => version)).toEqual([1n, 2n, 5n, 6n]);
    expect(dropped).toEqual([1, 1]);
  });

  it('is sent nothing of a type any more once the last who listened to it has stopped', async () => {
    const port = await freePort();
    await startServer(port);
    let verified = 0;
    const verify: JetStreamBusOptions['keyring']['verify'] = (message) => {
      verified++;
      return keyring.verify(message);
    };
    const [from, to] = [openBus(port), openBus(port, { keyring: { ...keyring, verify } })];
    await Promise.all([connected(from), connected(to)]);
    const heard: bigint[] = [];
    const [stopFirst, stopLast] = [0, 1].map(() =>
      to.subscribe(5, (changes) => heard.push(...changes.map(({ version }) => version))),
    );
    const marker = listen(to, 6);
    /** Publishes one of the type and then one that is listened to, and waits for that. */
    const publish = async (bus: ChangeBus, version: bigint) => {
      const come = marker.until(version + 1n);
      bus.publish([change(version), change(version + 1n, '{}', 6)]);
      await come;
    };
    // What comes by the same connection shows that the server has heard of what came before.
    await publish(to, 1n);
    stopFirst?.();
    stopFirst?.();
    await publish(to, 3n);
    await publish(from, 5n);
    expect([heard, verified]).toEqual([[1n, 1n, 3n, 5n], 6]);
    stopLast?.();
    await publish(to, 7n);
    await publish(from, 9n);
    expect([heard, verified]).toEqual([[1n, 1n, 3n, 5n], 8]);
    const again = listen(to);
    const come = again.until(11n);
    to.publish([change(11n)]);
    await come;
    expect(again.heard.map(({ version }) => version)).toEqual([11n]);
  });

  it('connects when the server comes, drops meanwhile, and is back after a restart', async () => {
    const port = await freePort();
    let dropped = 0;
    const onDropped = (changes: number) => {
      dropped += changes;
    };
    const bus = openBus(port, { onDropped });
    const { until } = listen(bus);
    bus.publish([change(1n)]);
    expect(dropped).toBe(1);
    expect(bus.healthy()).toBe(false);
    const up = connected(bus);
    const server = await startServer(port);
    await up;
    const second = until(2n);
    bus.publish([change(2n)]);
    await second;
    const again = connected(bus);
    await kill(server);
    await startServer(port);
    await again;
    const third = until(3n);
    bus.publish([change(3n)]);
    await third;
    expect(bus.healthy()).toBe(true);
  });

  it('closes while it is still trying to connect', async () => {
    const bus = openBus(await freePort());
    await bus.close();
    expect(bus.healthy()).toBe(false);
  });
});
