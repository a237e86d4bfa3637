import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { PlainClient } from './client.js';
import { childrenCpuSeconds, cpuSeconds } from './process-usage.js';

const WRITERS = 100;
const ROUNDS = 10;

let server: Standalone;
let client: PlainClient;
beforeAll(async () => {
  server = await startStandalone();
  client = new PlainClient(server);
});
afterAll(async () => {
  client?.close();
  await server?.stop();
});

interface ConfigMap {
  readonly metadata: { readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
}

const path = (name: string) => `/api/v1/namespaces/default/configmaps/${name}`;
const create = (name: string) =>
  client.ask('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name }, data: { start: 'x' } });
const mergePatch = { 'content-type': 'application/merge-patch+json' };

describe(`${WRITERS} writers of one object`, () => {
  it('all unconditional patches succeed, each once, at a rate that does not collapse', async () => {
    await create('hot');
    const { pid } = server.process;
    const patch = (writer: number, round: number) =>
      client.ask('PATCH', path('hot'), { data: { [`w${writer}`]: String(round) } }, mergePatch);
    const rates: number[] = [];
    for (const writers of [1, WRITERS]) {
      const [began, own, database] = [performance.now(), cpuSeconds(pid), childrenCpuSeconds(pid)];
      const versions = new Set<string>();
      await Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let round = 0; round < (ROUNDS * WRITERS) / writers; round++) {
            const answer = await patch(writer, round);
            expect(answer.status).toBe(200);
            const object = JSON.parse(answer.text) as ConfigMap;
            // What it answers holds what was asked for.
            expect(object.data[`w${writer}`]).toBe(String(round));
            versions.add(object.metadata.resourceVersion);
          }
        }),
      );
      const seconds = (performance.now() - began) / 1000;
      const writes = ROUNDS * WRITERS;
      rates.push(writes / seconds);
      expect(versions.size).toBe(writes);
      const cpu = `CPU a patch ${Math.round(((cpuSeconds(pid) - own) * 1e6) / writes)} µs and ${Math.round(((childrenCpuSeconds(pid) - database) * 1e6) / writes)} µs of PostgreSQL`;
      console.log(`${writers} patchers: ${Math.round(writes / seconds)} patches/s, ${cpu}`);
    }
    const [alone = 0, together = 0] = rates;
    expect(together).toBeGreaterThan(alone / 2);
  }, 120_000);

  it('of updates that name a version one gets through', async () => {
    const made = JSON.parse((await create('named')).text) as ConfigMap;
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        client.ask('PUT', path('named'), { ...made, data: { writer: String(writer) } }),
      ),
    );
    console.log(`${WRITERS} PUTs of one version: ${Math.round(performance.now() - began)} ms`);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...new Array(WRITERS - 1).fill(409)]);
  });
});
