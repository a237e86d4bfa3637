import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Cluster, descendants, isAlive, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';
import type { WatchEvent } from '../support/watch-stream.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const MAX_WAIT_MS = 15_000;
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe('an api-server and a gateway of two workers each behind nginx', () => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;
  const sessions: ClientHttp2Session[] = [];
  const sockets: WebSocket[] = [];

  beforeAll(async () => {
    dir = makeServerFolder('orch-transports-');
    cluster = await startCluster({
      dir,
      apiServers: 1,
      gateways: 1,
      serverArgs: ['--workers=2', '--worker-timeout=10s'],
    });
    api = new Api(cluster);
  });
  afterEach(() => {
    for (const session of sessions.splice(0)) session.destroy();
    for (const socket of sockets.splice(0)) socket.terminate();
  });
  afterAll(async () => {
    api?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const gateway = () => cluster.gateways[0] as Cluster['gateways'][number];
  /** Workers of the gateway, as the system knows them. */
  const workers = () => descendants(gateway().pid);

  async function gatewayMetrics(): Promise<string> {
    const server = new Api({ url: cluster.gatewayUrls[0] ?? '', ca: cluster.ca, token: cluster.token });
    const { text } = await server.get('/metrics');
    server.close();
    return text;
  }

  /** A watch over HTTP/2 by way of an address, and what has come. */
  async function watchOverHttp2(url = '', query = '') {
    const session = connect(url, { ca: cluster.ca });
    sessions.push(session);
    session.on('error', () => undefined);
    const headers = { authorization: `Bearer ${cluster.token}` };
    const stream = session.request({ ':path': `${PATH}?watch=1${query}`, ...headers });
    stream.on('error', () => undefined);
    const names: string[] = [];
    stream.on('data', (piece: Buffer) => {
      // Events are small, and each comes in a piece of its own or with others, never in two.
      for (const line of piece.toString().trim().split('\n')) {
        names.push((JSON.parse(line) as WatchEvent).object.metadata.name);
      }
    });
    const ended = new Promise<number>((resolve) => stream.once('close', () => resolve(stream.rstCode)));
    const [head] = await once(stream, 'response');
    return { names, ended, status: head[':status'] as number, isOpen: () => !stream.closed };
  }

  function watchOverWebSocket(url: string, query = '') {
    const token = Buffer.from(cluster.token).toString('base64url');
    const protocols = ['x', `base64url.bearer.authorization.k8s.io.${token}`];
    const path = `${url.replace('https', 'wss')}${PATH}?watch=1${query}`;
    const client = new WebSocket(path, protocols, { ca: cluster.ca });
    sockets.push(client);
    const names: string[] = [];
    client.on('error', () => undefined);
    client.on('message', (data: Buffer) =>
      names.push((JSON.parse(data.toString()) as WatchEvent).object.metadata.name),
    );
    const closed = new Promise<number>((resolve) => client.once('close', resolve));
    const opened = new Promise<void>((resolve) => client.once('open', () => resolve()));
    return { client, names, closed, opened };
  }

  test.each([
    ['nginx', () => cluster.url],
    ['an api-server that hands watches on', () => cluster.apiServerUrls[0] ?? ''],
    ['a gateway', () => cluster.gatewayUrls[0] ?? ''],
  ])('a WebSocket watch by way of %s', async (way, url) => {
    const name = `websocket-${way.replaceAll(' ', '-')}`;
    const { names, opened, client, closed } = watchOverWebSocket(url(), `&fieldSelector=metadata.name=${name}`);
    await opened;
    expect((await api.post(PATH, configMap(name))).status).toBe(201);
    await waitUntil('the event comes', MAX_WAIT_MS, () => names.length > 0);
    expect([client.protocol, names]).toEqual(['x', [name]]);
    client.close();
    await closed;
  });

  test('a WebSocket watch that is refused behind an api-server says so', async () => {
    const { client } = watchOverWebSocket(cluster.apiServerUrls[0] ?? '', '&resourceVersion=x');
    const [, response] = await once(client, 'unexpected-response');
    expect(response.statusCode).toBe(400);
  });

  test('an api-server hands a watch over HTTP/2 to a gateway, and a cut there is an end here', async () => {
    const watch = await watchOverHttp2(cluster.apiServerUrls[0], '&fieldSelector=metadata.name=handed');
    expect(watch.status).toBe(200);
    expect(await gatewayMetrics()).toMatch(/^orch_watch_cache_watchers\{.*\} 1$/m);
    expect((await api.post(PATH, configMap('handed'))).status).toBe(201);
    await waitUntil('the event comes', MAX_WAIT_MS, () => watch.names.length > 0);
    const before = workers();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    // Anything else would make client-go list again.
    expect(await watch.ended).toBe(0);
    await waitUntil('there are other workers', MAX_WAIT_MS, async () => {
      const now = workers();
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
  });

  const bothServe = () =>
    waitUntil('both workers serve', MAX_WAIT_MS, async () => {
      const text = await gatewayMetrics().catch(() => '');
      return ['1', '2'].every((worker) => text.includes(`process_cpu_seconds_total{worker="${worker}"}`));
    });

  test('the metrics of a gateway are those of all its workers', bothServe);

  test('watches go to all workers, and when one is killed those of the others go on', async () => {
    const query = '&fieldSelector=metadata.name=spread';
    const watches = await Promise.all(Array.from({ length: 8 }, () => watchOverHttp2(cluster.gatewayUrls[0], query)));
    const text = await gatewayMetrics();
    const counts = [...text.matchAll(/^orch_watch_cache_watchers\{worker="\d".*\} (\d+)$/gm)].map((match) =>
      Number(match[1]),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(8);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    const [victim = 0] = workers();
    process.kill(victim, 'SIGKILL');
    await Promise.race(watches.map(({ ended }) => ended));
    expect((await api.post(PATH, configMap('spread'))).status).toBe(201);
    const others = () => watches.filter(({ isOpen }) => isOpen());
    await waitUntil('those of the other have it', MAX_WAIT_MS, () => {
      return counts.includes(others().length) && others().every(({ names }) => names.length === 1);
    });
    await waitUntil('another is there', MAX_WAIT_MS, () => workers().length === 2);
  });

  test('a worker that lives and does nothing is killed, and another takes its place', async () => {
    // One that is only just starting has more time.
    await bothServe();
    const [stuck = 0, ...others] = workers();
    process.kill(stuck, 'SIGSTOP');
    await waitUntil('another is there', 3 * MAX_WAIT_MS, () => {
      const now = workers();
      return now.length === 2 && !now.includes(stuck) && others.every((pid) => now.includes(pid));
    });
  });

  test('on SIGTERM watches of all kinds end in order, and no process is left', async () => {
    const over2 = await watchOverHttp2(cluster.gatewayUrls[0]);
    const webSocket = watchOverWebSocket(cluster.gatewayUrls[0] ?? '');
    await webSocket.opened;
    const all = workers();
    const stopped = gateway().stop();
    expect(await over2.ended).toBe(0);
    expect(await webSocket.closed).toBe(1000);
    await stopped;
    // Workers that have answered everything may still be ending when their parent has gone.
    await waitUntil('no process is left', MAX_WAIT_MS, () => !all.some(isAlive));
    await gateway().start();
  });

  test('an api-server that gets SIGTERM ends what it has handed on in order, and does not wait for its clients', async () => {
    const [server] = cluster.apiServers;
    const [url = ''] = cluster.apiServerUrls;
    const over1 = await new Api({ url, ca: cluster.ca, token: cluster.token }).open('GET', `${PATH}?watch=1`, {});
    const over2 = await watchOverHttp2(url, '&fieldSelector=metadata.name=none');
    const webSocket = watchOverWebSocket(url);
    await webSocket.opened;
    over1.resume();
    const stopped = server?.stop();
    await once(over1, 'close');
    expect(over1.complete).toBe(true);
    expect(await over2.ended).toBe(0);
    expect(await webSocket.closed).toBe(1000);
    await stopped;
    await server?.start();
  });
});
