import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Connection, type Endpoint, requestBytes } from './connection.js';
import { objectBody, type Resource } from './resource.js';
import { type Latency, latencyOf, now } from './summary.js';
import { serve } from './worker.js';

export interface RequestLoad {
  readonly endpoint: Endpoint;
  readonly resource: Resource;
  /**
   * `create` makes new objects; `update` and `get` go round objects `PREFIX-0` to `PREFIX-(objects-1)`, of which
   * there must be a multiple of the requesters for an update.
   */
  readonly verb: 'create' | 'update' | 'get';
  readonly prefix: string;
  readonly objects: number;
  /** Connections, each with one request at a time. */
  readonly requesters: number;
  /** Ends after this many seconds, or after `count` requests. */
  readonly seconds: number;
  readonly count?: number;
  /** Requests per second of all requesters together; as fast as answers come when absent. */
  readonly rate?: number;
}

export interface RequestResult extends Latency {
  readonly done: number;
  /** Answers that were not 2xx. */
  readonly failed: number;
  readonly seconds: number;
}

async function run(load: RequestLoad): Promise<RequestResult> {
  const { endpoint, requesters, seconds, rate } = load;
  const connections = await Promise.all(Array.from({ length: requesters }, () => Connection.open(endpoint)));
  const versions = load.verb === 'update' ? await presentVersions(load, connections) : [];
  const latencies: number[] = [];
  let failed = 0;
  let next = 0;
  const start = now();
  const end = start + seconds * 1000;
  const loop = async (connection: Connection, requester: number) => {
    for (let own = requester; now() < end && next < (load.count ?? Number.POSITIVE_INFINITY); own += requesters) {
      const index = next++;
      if (rate !== undefined) await pause(Math.max(0, start + (index * 1000) / rate - now()));
      // Creates number on; updates and reads stay with the requester's own objects, so that no two meet.
      const object = load.verb === 'create' ? index : own % load.objects;
      const sent = now();
      const answer = await connection.request(requestOf(load, object, versions[object]), load.verb === 'update');
      latencies.push(now() - sent);
      if (answer.status >= 300) failed++;
      else if (load.verb === 'update') versions[object] = versionOf(answer);
    }
  };
  await Promise.all(connections.map(loop));
  const elapsed = (now() - start) / 1000;
  for (const connection of connections) connection.close();
  return { done: latencies.length, failed, seconds: elapsed, ...latencyOf(latencies) };
}

function requestOf(load: RequestLoad, object: number, version?: string): Buffer {
  const { endpoint, resource, verb } = load;
  const name = `${load.prefix}-${object}`;
  const path = `${resource.path}/${name}`;
  if (verb === 'get') return requestBytes(endpoint, 'GET', path);
  const body = objectBody(resource, name, now(), version);
  if (verb === 'create') return requestBytes(endpoint, 'POST', resource.path, body);
  return requestBytes(endpoint, 'PUT', path, body);
}

/** An update names the version that it replaces, as controllers do and custom resources demand. */
async function presentVersions(load: RequestLoad, [connection]: readonly Connection[]): Promise<string[]> {
  const versions: string[] = [];
  for (let object = 0; connection && object < load.objects; object++) {
    versions.push(versionOf(await connection.request(requestOf({ ...load, verb: 'get' }, object), true)));
  }
  return versions;
}

function versionOf({ status, body }: Answer): string {
  const version = /"resourceVersion":"(\d+)"/.exec(body.toString())?.[1];
  if (version === undefined) throw new Error(`no version in an answer ${status}: ${body}`);
  return version;
}

export interface FetchLoad {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly times: number;
}

export interface FetchResult {
  /** Bytes of the body. */
  readonly bytes: number;
  /** Of the whole answer, once for each time. */
  readonly milliseconds: readonly number[];
}

/** Fetches the same large answer again and again on one connection. */
async function fetchAll({ endpoint, path, times }: FetchLoad): Promise<FetchResult> {
  const connection = await Connection.open(endpoint);
  const request = requestBytes(endpoint, 'GET', path);
  const milliseconds: number[] = [];
  let bytes = 0;
  for (let time = 0; time < times; time++) {
    const sent = now();
    const answer = await connection.request(request);
    milliseconds.push(now() - sent);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    bytes = answer.bytes;
  }
  connection.close();
  return { bytes, milliseconds };
}

const methods = { run, fetchAll };
export type RequestMethods = typeof methods;
serve(methods);
