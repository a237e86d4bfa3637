import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMap, configMaps, expectStatus } from './conformance.js';

const PATH = configMaps('default');
/** Many times the seats of the server. */
const SEATS = 100;
const SLOW_BODIES = 900;
const [MOST_BODIES, MOST_ANSWERS] = [800, 60];
const UNREAD_ANSWERS = 2 * MOST_ANSWERS;

/** An answer of the raw connection of a client that is not to be hurried. */
interface Connection {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

describe('clients that keep a server waiting', () => {
  let server: Standalone;
  let admin: Api;
  let joe: Api;
  let open: Connection[] = [];
  beforeAll(async () => {
    server = await startStandalone({
      users: ['jane', 'joe'],
      args: [
        ...[`--max-requests-inflight=${SEATS / 2}`, `--max-mutating-requests-inflight=${SEATS / 2}`],
        ...['--max-request-wait=2s', `--max-slow-bodies-per-user=${MOST_BODIES}`],
        `--max-unread-answers-per-user=${MOST_ANSWERS}`,
      ],
    });
    admin = new Api(server);
    joe = new Api({ ...server, token: 'joe' });
    for (let at = 0; at < 30; at++) {
      const large = { ...configMap(`large-${at}`), data: { text: 'x'.repeat(250_000) } };
      expectStatus(await admin.post(PATH, large), 201);
    }
  });
  afterEach(() => {
    for (const { socket } of open) socket.destroy();
    open = [];
  });
  afterAll(async () => {
    admin?.close();
    joe?.close();
    await server?.stop();
  });

  /** Opens a connection as jane, over which a request begins. */
  async function begin(head: string): Promise<Connection> {
    const socket = connect(Number(new URL(server.plainUrl).port), '127.0.0.1');
    const connection: Connection = { socket, received: '', isClosed: false };
    open.push(connection);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        connection.isClosed = true;
      });
    socket.on('data', (piece: Buffer) => {
      connection.received += piece.toString('latin1');
    });
    await once(socket, 'connect');
    socket.write(`${head} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer jane\r\n`);
    return connection;
  }

  async function sample(series: string): Promise<number> {
    const { text } = expectStatus(await admin.get('/metrics'), 200);
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  }

  /** Others read and write, one after another, as if nobody else were there. */
  async function othersGoOn(prefix: string): Promise<void> {
    for (let at = 0; at < 20; at++) {
      expectStatus(await joe.post(PATH, configMap(`${prefix}-${at}`)), 201);
      expectStatus(await joe.get(`${PATH}/${prefix}-${at}`), 200);
    }
  }

  test('by bodies of which a byte comes now and then hold nobody else up', async () => {
    const body = JSON.stringify(configMap('slow'));
    for (let at = 0; at < SLOW_BODIES; at++) {
      const { socket } = await begin(`POST ${PATH}?dryRun=All`);
      socket.write(`Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body[0]}`);
    }
    const refused = () => open.filter(({ received }) => received.startsWith('HTTP/1.1 429 ')).length;
    await expect.poll(refused).toBe(SLOW_BODIES - MOST_BODIES);
    expect(await sample('orch_slow_requests{waiting="body"}')).toBe(MOST_BODIES);
    expect(await sample('orch_limit_refusals_total{limit="slow-bodies"}')).toBe(SLOW_BODIES - MOST_BODIES);
    const waiting = open.filter(({ received }) => received === '');
    for (const { socket } of waiting) socket.write(body[1] as string);
    await othersGoOn('beside-bodies');
    const [last] = waiting;
    last?.socket.write(body.slice(2));
    await expect.poll(() => last?.received).toMatch(/^HTTP\/1\.1 201 /);
    for (const { socket } of open) socket.destroy();
    await expect.poll(() => sample('orch_slow_requests{waiting="body"}')).toBe(0);
  });

  test('by answers that they do not read hold nobody else up, and are so many', async () => {
    for (let at = 0; at < UNREAD_ANSWERS; at++) {
      const { socket } = await begin(`GET ${PATH}`);
      socket.once('data', () => socket.pause());
      socket.write('\r\n');
    }
    await othersGoOn('beside-answers');
    const held = () => sample('orch_slow_requests{waiting="answer"}');
    await expect.poll(held).toBe(MOST_ANSWERS);
    expect(await sample('orch_unread_answer_bytes')).toBeGreaterThan(0);
    // The others were refused, or closed without having read all of it.
    for (const { received, socket } of open) if (received.startsWith('HTTP/1.1 429 ')) socket.destroy();
    await expect
      .poll(() => sample('orch_limit_refusals_total{limit="unread-answers"}'))
      .toBe(UNREAD_ANSWERS - MOST_ANSWERS);
    expect((await fetchAsJane()).startsWith('HTTP/1.1 429 ')).toBe(true);
    for (const { socket } of open) socket.destroy();
    await expect.poll(held).toBe(0);
    expect((await fetchAsJane()).startsWith('HTTP/1.1 200 ')).toBe(true);
  });

  async function fetchAsJane(): Promise<string> {
    const connection = await begin(`GET ${PATH}/large-0`);
    connection.socket.write('Connection: close\r\n\r\n');
    await once(connection.socket, 'close');
    return connection.received;
  }
});
