import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Connection, type Endpoint, requestBytes } from './connection.js';
import { objectBody, type Resource } from './resource.js';
import { type Latency, latencyOf, now } from './summary.js';
import { serve } from './worker.js';
import { type Workload, workloadBody } from './workloads.js';

export interface RequestLoad {
  readonly endpoint: Endpoint;
  readonly resource: Resource;
  /**
   * `create` makes new objects `PREFIX-0` and so on, `delete` deletes them in the same order; the others go round objects
   * `PREFIX-0` to `PREFIX-(objects-1)`, of which there must be a multiple of the requesters for an update. `patch` is a merge
   * patch that asks for no version. Server-side applies are of a {@link RequestLoad.workload}: `apply` makes new objects as
   * `create` does, `apply-same` says what is there already, `apply-field` changes one field each time.
   */
  readonly verb: 'create' | 'update' | 'get' | 'patch' | 'delete' | Apply;
  readonly prefix: string;
  readonly objects: number;
  /** Connections, each with one request at a time. */
  readonly requesters: number;
  /** Ends after this many seconds, or after `count` requests. */
  readonly seconds: number;
  readonly count?: number;
  /** Requests per second of all requesters together; as fast as answers come when absent. */
  readonly rate?: number;
  /** Bytes of an object's filling; those of 1 KiB objects when absent. */
  readonly filling?: number;
  /** What objects are in the place of filled ones; of the resource's kind. */
  readonly workload?: Workload;
}

type Apply = 'apply' | 'apply-same' | 'apply-field';

export interface RequestResult extends Latency {
  readonly done: number;
  /** Answers that were not 2xx. */
  readonly failed: number;
  readonly seconds: number;
}

const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };

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
      // Creates and deletions number on; updates and reads stay with the requester's own objects, so that no two meet.
      const object = numbersOn(load) ? index : own % load.objects;
      const sent = now();
      const answer = await connection.request(requestOf(load, object, versions[object], index), load.verb === 'update');
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

const numbersOn = ({ verb }: RequestLoad): boolean => verb === 'create' || verb === 'apply' || verb === 'delete';

/** @param number tells this request from the others */
function requestOf(load: RequestLoad, object: number, version?: string, number = 0): Buffer {
  const { endpoint, resource, verb } = load;
  const name = `${load.prefix}-${object}`;
  const path = `${resource.path}/${name}`;
  if (verb === 'get') return requestBytes(endpoint, 'GET', path);
  if (verb === 'delete') return requestBytes(endpoint, 'DELETE', path);
  if (verb === 'patch') {
    return requestBytes(endpoint, 'PATCH', path, `{"data":{"sent":"${now().toFixed(3)}"}}`, MERGE_PATCH);
  }
  if (isApply(verb)) {
    const body = bodyOf(load, name, undefined, verb === 'apply-field' ? number + 1 : 0);
    return requestBytes(endpoint, 'PATCH', `${path}?fieldManager=bench&force=true`, body, APPLY);
  }
  const body = bodyOf(load, name, version, number);
  if (verb === 'create') return requestBytes(endpoint, 'POST', resource.path, body);
  return requestBytes(endpoint, 'PUT', path, body);
}

const isApply = (verb: RequestLoad['verb']): verb is Apply => verb.startsWith('apply');

function bodyOf(
  { resource, verb, filling, workload }: RequestLoad,
  name: string,
  version?: string,
  number = 0,
): string {
  const named = version !== undefined && { version };
  if (workload) return workloadBody(workload, name, { number, oneField: isApply(verb), ...named });
  return objectBody(resource, name, { sent: now(), ...named, ...(filling && { filling }) });
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
  readonly method?: 'GET' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests of each connection, one after the other. */
  readonly times: number;
  /** Connections that fetch at the same time; one when absent. */
  readonly requesters?: number;
}

export interface FetchResult {
  /** Bytes of the body of one answer. */
  readonly bytes: number;
  /** Of every whole answer. */
  readonly milliseconds: readonly number[];
  /** Requests that were refused or cut off; a connection that was cut asks no more. */
  readonly failed: number;
  readonly seconds: number;
}

/** Fetches the same large answer again and again, on one connection or many. */
async function fetchAll(load: FetchLoad): Promise<FetchResult> {
  const { endpoint, path, method = 'GET', headers, times, requesters = 1 } = load;
  const request = requestBytes(endpoint, method, path, undefined, headers);
  const milliseconds: number[] = [];
  let bytes = 0;
  const connections = await Promise.all(Array.from({ length: requesters }, () => Connection.open(endpoint)));
  const start = now();
  const fetch = async (connection: Connection) => {
    for (let time = 0; time < times; time++) {
      const sent = now();
      const answer = await connection.request(request);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      milliseconds.push(now() - sent);
      bytes = answer.bytes;
    }
    connection.close();
  };
  const outcomes = await Promise.allSettled(connections.map(fetch));
  const [failure] = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failure && milliseconds.length === 0) throw failure.reason;
  const failed = outcomes.filter(({ status }) => status === 'rejected').length;
  return { bytes, milliseconds, failed, seconds: (now() - start) / 1000 };
}

export interface ContendLoad {
  readonly endpoint: Endpoint;
  readonly resource: Resource;
  /** Of the one object. */
  readonly name: string;
  readonly writers: number;
  readonly seconds: number;
}

export interface ContendResult extends Latency {
  readonly succeeded: number;
  /** Updates that another writer was faster than. */
  readonly conflicts: number;
  readonly seconds: number;
}

/** Writers who all read one object and replace it, and begin again when another was faster. */
async function contend({ endpoint, resource, name, writers, seconds }: ContendLoad): Promise<ContendResult> {
  const path = `${resource.path}/${name}`;
  const latencies: number[] = [];
  let conflicts = 0;
  const connections = await Promise.all(Array.from({ length: writers }, () => Connection.open(endpoint)));
  const start = now();
  const end = start + seconds * 1000;
  const write = async (connection: Connection) => {
    for (let began = now(); now() < end; ) {
      const version = versionOf(await connection.request(requestBytes(endpoint, 'GET', path), true));
      const body = objectBody(resource, name, { sent: now(), version });
      const { status } = await connection.request(requestBytes(endpoint, 'PUT', path, body));
      if (status === CONFLICT) {
        conflicts++;
        continue;
      }
      if (status !== 200) throw new Error(`${path}: ${status}`);
      latencies.push(now() - began);
      began = now();
    }
    connection.close();
  };
  await Promise.all(connections.map(write));
  return { succeeded: latencies.length, conflicts, seconds: (now() - start) / 1000, ...latencyOf(latencies) };
}

const CONFLICT = 409;

const methods = { run, fetchAll, contend };
export type RequestMethods = typeof methods;
serve(methods);
