import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { PlainClient } from './client.js';
import { memoryMiB } from './process-usage.js';

const OBJECTS = 400;
const BYTES = 1_000_000;
/** Together they send five times as much as the process may hold; some must wait for a connection. */
const LISTS = 8;
/**
 * Most that the process may ever have held, MiB: some 240 before the lists, and windows of theirs that are read so that they hold no
 * connection while others wait.
 */
const RSS_LIMIT = 640;

let server: Standalone;
let client: PlainClient;

beforeAll(async () => {
  // What is judged is memory, not time.
  server = await startStandalone({ args: ['--request-timeout=10m'] });
  client = new PlainClient(server);
  await client.many(OBJECTS, 4, async (i) => {
    const object = { metadata: { name: `large-${i}` }, data: { text: `${i} ${'x'.repeat(BYTES)}` } };
    const made = await client.ask('POST', '/api/v1/namespaces/default/configmaps', object);
    expect(made.status).toBe(201);
  });
}, 120_000);
afterAll(async () => {
  client?.close();
  await server?.stop();
});

describe('lists of 400 objects of 1 MB', () => {
  it.each([
    ['JSON', 'application/json', '', LISTS, OBJECTS],
    ['JSON with a limit', 'application/json', 'limit=300', 4, 300],
    ['protobuf', 'application/vnd.kubernetes.protobuf', '', 2, OBJECTS],
    ['indented JSON', 'application/json', 'pretty=true', 2, OBJECTS],
    ['YAML', 'application/yaml', '', 2, OBJECTS],
  ])(
    '%s, several at a time, take bounded memory',
    async (_, accept, query, lists, objects) => {
      writeFileSync(`/proc/${server.process.pid}/clear_refs`, '5');
      const began = performance.now();
      const path = `/api/v1/configmaps?${query}`;
      const reads = await Promise.all(
        Array.from({ length: lists }, () => client.ask('GET', path, undefined, { accept })),
      );
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      for (const read of reads) {
        expect(read).toMatchObject({ status: 200, complete: true });
        expect(read.bytes).toBeGreaterThan(objects * BYTES);
      }
      const peak = memoryMiB(server.process.pid, 'VmHWM');
      console.log(`${accept} ${query}: ${lists} lists in ${seconds} s, peak RSS ${peak} MiB`);
      expect(peak, `${lists} lists in ${seconds} s`).toBeLessThan(RSS_LIMIT);
    },
    120_000,
  );
});
