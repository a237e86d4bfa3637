import { Connection, type Endpoint, requestBytes } from '../connection.js';
import type { Measurement } from '../report.js';
import type { StageSettings } from '../settings.js';
import { median, now } from '../summary.js';
import type { Power } from '../target.js';
import { settledMemory } from './idle.js';

/** How many definitions there are, one after the other. */
const COUNTS = [1, 100, 1_000];
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const DISCOVERIES = 21;
/** Groups that the kinds are in, so that there are many documents of OpenAPI as well. */
const GROUPS = 50;
/** Members of a schema, which make its definition about 30 KB long. */
const MEMBERS = 120;

/**
 * Memory, discovery, the time until a definition is served, and the time to start, with ever more definitions of real size. Where the
 * server can be started again, memory is what it has more than it had when it was started without them.
 */
export async function kindStage({ target, run, scale }: StageSettings): Promise<Measurement[]> {
  const { endpoint } = target;
  const rows: Measurement[] = [];
  await target.power?.off();
  await target.power?.on();
  const before = await settledMemory(target);
  let made = 0;
  for (const count of COUNTS.map((each) => Math.max(1, Math.round(each * scale)))) {
    const connection = await Connection.open(endpoint);
    const name = `${count} definitions`;
    const served: number[] = [];
    for (; made < count; made++) served.push(await define(connection, endpoint, `${run}${made}`, made));
    const more = (bytes: number) => ({ unit: 'MB', value: (bytes - before) / 1e6 });
    rows.push(
      { name: `${name}: more RSS`, ...more(await settledMemory(target)) },
      { name: `${name}: until one is served, p50`, unit: 'ms', value: median(served) },
      { name: `${name}: all discovery, p50`, unit: 'ms', value: await discoveryTime(connection, endpoint) },
    );
    connection.close();
    if (!target.power) continue;
    const last = pathOf(`${run}${made - 1}`, made - 1);
    rows.push({
      name: `${name}: from start until the last is served`,
      unit: 'ms',
      value: await startTime(endpoint, target.power, last),
    });
    rows.push({ name: `${name}: more RSS after that`, ...more(await settledMemory(target)) });
  }
  return rows;
}

/** Milliseconds from the start of a server with the data that it has until a path is served. */
async function startTime(endpoint: Endpoint, power: Power, path: string): Promise<number> {
  await power.off();
  const start = now();
  await power.on();
  const connection = await Connection.open(endpoint);
  await untilServed(connection, endpoint, path);
  connection.close();
  return now() - start;
}

const pathOf = (name: string, at: number): string => `/apis/${groupOf(at)}/v1/${name}`;
const groupOf = (at: number): string => `g${at % GROUPS}.bench.example.com`;

/** @param path of a collection */
export async function untilServed(connection: Connection, endpoint: Endpoint, path: string): Promise<void> {
  for (let tries = 0; tries < 100_000; tries++) {
    const { status } = await connection.request(requestBytes(endpoint, 'GET', `${path}?limit=1`));
    if (status === 200) return;
  }
  throw new Error(`${path} is not served`);
}

/** @returns milliseconds from when it is sent until its objects are served */
async function define(connection: Connection, endpoint: Endpoint, name: string, at: number): Promise<number> {
  const definition = definitionOf(name, at);
  const start = now();
  const answer = await connection.request(
    requestBytes(endpoint, 'POST', DEFINITIONS, JSON.stringify(definition)),
    true,
  );
  if (answer.status !== 201) throw new Error(`${name}: ${answer.status} ${answer.body}`);
  await untilServed(connection, endpoint, pathOf(name, at));
  return now() - start;
}

function definitionOf(name: string, at: number) {
  const kind = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.${groupOf(at)}` },
    spec: {
      group: groupOf(at),
      scope: 'Cluster',
      names: { plural: name, singular: name, kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: part(at), status: part(-at) } } },
        },
      ],
    },
  };
}

/** No two are the same: schemas of several kinds share little. */
function part(at: number): object {
  const member = (i: number): [string, object] => [
    `member${i}of${at}`,
    {
      type: 'object',
      description: `What the ${i}th member of the ${at}th kind is for, in a sentence as long as people write them.`,
      properties: { name: { type: 'string', maxLength: 63 + i }, count: { type: 'integer', format: 'int32' } },
    },
  ];
  return { type: 'object', properties: Object.fromEntries(Array.from({ length: MEMBERS / 2 }, (_, i) => member(i))) };
}

/** Measures discovery of all groups in one answer, p50 in ms. */
export async function discoveryTime(connection: Connection, endpoint: Endpoint): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < DISCOVERIES; i++) {
    const start = now();
    const { status } = await connection.request(
      requestBytes(endpoint, 'GET', '/apis', undefined, { Accept: AGGREGATED }),
    );
    // A server of custom resources alone may not have it.
    if (status === 404) return Number.NaN;
    if (status !== 200) throw new Error(`discovery was answered with ${status}`);
    times.push(now() - start);
  }
  return median(times);
}
