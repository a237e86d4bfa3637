import { setTimeout as pause } from 'node:timers/promises';
import { Connection, type Endpoint, requestBytes } from '../connection.js';
import type { Measurement } from '../report.js';
import type { StageSettings } from '../settings.js';
import { median, now } from '../summary.js';
import { settledMemory } from './idle.js';
import { DEFINITIONS, discoveryTime, untilServed } from './kinds.js';
import { readyTime } from './process.js';

const COUNT = 10_000;
const REQUESTERS = 16;
const SINGLE = 9;
const IDLE_MS = 10_000;
const SETTLING_MS = 15_000;
/** Groups that the kinds are in. */
const GROUPS = 200;

/** Measures ten thousand unused definitions: creating them, having them, and creating one more. */
export async function smallKindStage({ target, run, scale }: StageSettings): Promise<Measurement[]> {
  const { endpoint, processes } = target;
  const count = Math.max(REQUESTERS, Math.round(COUNT * scale));
  const before = await settledMemory(target);
  const [began, cpu] = [now(), processes.cpuMicroseconds()];
  await inParallel(endpoint, count, (connection, at) => define(connection, endpoint, run, at));
  const connection = await Connection.open(endpoint);
  try {
    await untilServed(connection, endpoint, pathOf(run, count - 1));
    const took = now() - began;
    const spent = processes.cpuMicroseconds() - cpu;
    await pause(SETTLING_MS);
    const grown = (await settledMemory(target)) - before;
    const idle = await idleCpu(processes);
    const served: number[] = [];
    for (let i = 0; i < SINGLE; i++) served.push(await defineServed(connection, endpoint, run, count + i));
    const name = `${count} small definitions`;
    return [
      { name: `${name}: made a second`, unit: '/s', value: (count * 1000) / took },
      { name: `${name}: CPU of each`, unit: 'ms', value: spent / 1000 / count },
      { name: `${name}: more RSS`, unit: 'MB', value: grown / 1e6 },
      { name: `${name}: CPU when idle`, unit: '%', value: idle },
      { name: `${name}: until one more is served, p50`, unit: 'ms', value: median(served) },
      { name: `${name}: all discovery, p50`, unit: 'ms', value: await discoveryTime(connection, endpoint) },
      { name: `${name}: a namespace deleted`, unit: 'ms', value: await deletionTime(connection, endpoint, run) },
      {
        name: `${name}: ready with them`,
        unit: 'ms',
        value: target.power ? await readyTime(target.power) : Number.NaN,
      },
    ];
  } finally {
    connection.close();
  }
}

async function inParallel(
  endpoint: Endpoint,
  count: number,
  work: (connection: Connection, at: number) => Promise<void>,
) {
  let next = 0;
  const worker = async () => {
    const connection = await Connection.open(endpoint);
    while (next < count) await work(connection, next++);
    connection.close();
  };
  await Promise.all(Array.from({ length: REQUESTERS }, worker));
}

const groupOf = (at: number) => `s${at % GROUPS}.bench.example.com`;
const pathOf = (run: string, at: number) => `/apis/${groupOf(at)}/v1/${run}${at}`;

async function define(connection: Connection, endpoint: Endpoint, run: string, at: number): Promise<void> {
  const plural = `${run}${at}`;
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${groupOf(at)}` },
    spec: {
      group: groupOf(at),
      scope: 'Namespaced',
      names: { plural, singular: plural, kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  const body = JSON.stringify(definition);
  const { status } = await connection.request(requestBytes(endpoint, 'POST', DEFINITIONS, body));
  if (status !== 201) throw new Error(`${plural}: ${status}`);
}

async function defineServed(connection: Connection, endpoint: Endpoint, run: string, at: number): Promise<number> {
  const start = now();
  await define(connection, endpoint, run, at);
  await untilServed(connection, endpoint, pathOf(run, at));
  return now() - start;
}

/** In hundredths of a core. */
async function idleCpu(processes: StageSettings['target']['processes']): Promise<number> {
  const before = processes.cpuMicroseconds();
  await pause(IDLE_MS);
  return (processes.cpuMicroseconds() - before) / 10 / IDLE_MS;
}

/** From the request until the namespace, which holds what every namespace does, is gone. */
async function deletionTime(connection: Connection, endpoint: Endpoint, run: string): Promise<number> {
  const namespaces = '/api/v1/namespaces';
  const name = `${run}-going`;
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await connection.request(requestBytes(endpoint, 'POST', namespaces, body));
  const start = now();
  await connection.request(requestBytes(endpoint, 'DELETE', `${namespaces}/${name}`));
  for (;;) {
    const { status } = await connection.request(requestBytes(endpoint, 'GET', `${namespaces}/${name}`));
    if (status === 404) return now() - start;
    await pause(5);
  }
}
