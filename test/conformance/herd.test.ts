import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMap, configMaps, expectStatus } from './conformance.js';

const OBJECTS = 2_000;
const CLIENTS = 200;
/** Memory that a herd may add to an idle server, MiB. */
const MEMORY = 250;

let server: Standalone;
let api: Api;
let versions: string[];
beforeAll(async () => {
  server = await startStandalone();
  api = new Api({ url: server.plainUrl, token: server.token });
  const data = { text: 'x'.repeat(840) };
  let next = 0;
  const write = async () => {
    while (next < OBJECTS) expectStatus(await api.post(path, configMap(nameOf(next++), { data })), 201);
  };
  await Promise.all(Array.from({ length: 16 }, write));
  const { items } = expectStatus(await api.get(path), 200).json<{
    items: { metadata: { resourceVersion: string } }[];
  }>();
  versions = items.map(({ metadata }) => metadata.resourceVersion).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const path = configMaps('default');
const nameOf = (number: number): string => `c${String(number).padStart(5, '0')}`;

/** Value of a metric, all series together. */
async function metric(name: string): Promise<number> {
  const { text } = expectStatus(await api.get('/metrics'), 200);
  const lines = text.split('\n').filter((line) => [`${name}{`, `${name} `].some((begin) => line.startsWith(begin)));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function memoryMiB(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Sends a request on a connection of its own, and reads until `done` says so of the end of what has come. */
function fetchUntil(target: string, headers: readonly string[], done: (end: string) => boolean): Promise<void> {
  const { port, hostname } = new URL(server.plainUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const head = [`GET ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${server.token}`, ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    let end = '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      end = end.slice(-200) + text;
      if (done(end)) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => (done(end) ? resolve() : reject(new Error(`ended early: ${end.slice(-200)}`))));
  });
}

const list = (query: string, ...headers: string[]) =>
  fetchUntil(`${path}${query}`, ['Connection: close', ...headers], (end) => /(?:0\r\n\r\n|\]\})$/.test(end));
const last = `"${nameOf(OBJECTS - 1)}"`;
const watch = (query: string) => fetchUntil(`${path}?watch=1${query}`, [], (end) => end.includes(last));
const herd = (size: number, one: (number: number) => Promise<void>) =>
  Promise.all(Array.from({ length: size }, (_, number) => one(number)));

describe('A herd', () => {
  test(`of ${CLIENTS} watches and ${CLIENTS} lists at once costs little memory`, async () => {
    await herd(4, () => list(''));
    const idle = memoryMiB();
    let peak = idle;
    const look = setInterval(() => {
      peak = Math.max(peak, memoryMiB());
    }, 5);
    await Promise.all([herd(CLIENTS, () => watch('')), herd(CLIENTS, () => list(''))]);
    await Promise.all([herd(CLIENTS, () => watch('')), herd(CLIENTS, () => list('', 'Accept-Encoding: gzip'))]);
    clearInterval(look);
    expect(peak - idle).toBeLessThan(MEMORY);
  });

  test('that lists anew reads the state once', async () => {
    await herd(1_000, () => list('?resourceVersion=0&limit=5'));
    await herd(1_000, () => list('?limit=5'));
    expect(await metric('orch_watch_cache_snapshots_total')).toBe(1);
  });

  test('that comes back after a restart, each to another version, shares what it reads of history', async () => {
    await server.process.restart();
    await list('?resourceVersion=0');
    expect(await metric('orch_watch_cache_history_reads_total')).toBe(0);
    await herd(1_000, (number) => watch(`&resourceVersion=${versions[number]}`));
    expect(await metric('orch_watch_cache_history_pages_total')).toBeGreaterThanOrEqual(1_000);
    expect(await metric('orch_watch_cache_history_reads_total')).toBeLessThan(30);
  });
});
