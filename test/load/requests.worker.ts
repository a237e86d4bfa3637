import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Connection, type Endpoint, requestBytes } from './connection.js';
import { type RequestLoad, requestOf } from './request-load.js';
import { objectBody, type Resource } from './resource.js';
import { type Latency, latencyOf, now } from './summary.js';
import { ServerProcesses } from './usage.js';
import { serve } from './worker.js';

export interface RequestResult extends Latency {
  readonly done: number;
  /** Answers that were not 2xx. */
  readonly failed: number;
  /** Status of the first of those. */
  readonly failure: number | undefined;
  readonly seconds: number;
  /** Mean size of the bodies of answers. */
  readonly answerBytes: number;
  /** CPU time in microseconds of the servers of {@link RequestLoad.serverPids}. */
  readonly serverCpu: number;
  /** CPU time in microseconds of this process. */
  readonly clientCpu: number;
}

async function run(load: RequestLoad): Promise<RequestResult> {
  const { endpoint, requesters, seconds, rate } = load;
  const connections = await Promise.all(Array.from({ length: requesters }, () => Connection.open(endpoint)));
  const versions = load.verb === 'update' ? await presentVersions(load, connections) : [];
  const latencies: number[] = [];
  const server = new ServerProcesses(() => load.serverPids ?? []);
  let failed = 0;
  let failure: number | undefined;
  let next = 0;
  let answerBytes = 0;
  const serverCpu = server.cpuMicroseconds();
  const clientCpu = process.cpuUsage();
  const start = now();
  const end = start + seconds * 1000;
  const loop = async (connection: Connection, requester: number) => {
    const token = load.tokens?.[requester];
    const asked = token === undefined ? load : { ...load, endpoint: { ...endpoint, token } };
    for (let own = requester; now() < end && next < (load.count ?? Number.POSITIVE_INFINITY); own += requesters) {
      const index = next++;
      if (rate !== undefined) await pause(Math.max(0, start + (index * 1000) / rate - now()));
      // Creates and deletions number on; updates and reads stay with the requester's own objects, so that no two meet.
      const object = numbersOn(load) ? index : own % load.objects;
      const sent = now();
      const answer = await connection.request(
        requestOf(asked, object, versions[object], index),
        load.verb === 'update',
      );
      latencies.push(now() - sent);
      answerBytes += answer.bytes;
      if (answer.status >= 300) {
        failed++;
        failure ??= answer.status;
      } else if (load.verb === 'update') versions[object] = versionOf(answer);
    }
  };
  await Promise.all(connections.map(loop));
  const elapsed = (now() - start) / 1000;
  const own = process.cpuUsage(clientCpu);
  const costs = { serverCpu: server.cpuMicroseconds() - serverCpu, clientCpu: own.user + own.system };
  for (const connection of connections) connection.close();
  const done = latencies.length;
  return {
    done,
    failed,
    failure,
    seconds: elapsed,
    answerBytes: answerBytes / done,
    ...costs,
    ...latencyOf(latencies),
  };
}

const numbersOn = ({ verb }: RequestLoad): boolean => verb === 'create' || verb === 'apply' || verb === 'delete';

/** An update names the version that it replaces, as controllers do and custom resources demand. */
async function presentVersions(load: RequestLoad, [connection]: readonly Connection[]): Promise<string[]> {
  const versions: string[] = [];
  for (let object = 0; connection && object < load.objects; object++) {
    versions.push(versionOf(await connection.request(requestOf({ ...load, verb: 'get' }, object), true)));
  }
  return versions;
}

function versionOf({ status, body }: Answer): string {
  const text = body.toString('latin1');
  const version = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? binaryVersion(text);
  if (version === undefined) throw new Error(`no version in an answer ${status}: ${body}`);
  return version;
}

/** The field behind the UID in the metadata of a binary object. */
function binaryVersion(text: string): string | undefined {
  const field = /\*\$[0-9a-f-]{36}2/.exec(text);
  if (!field) return undefined;
  const at = field.index + field[0].length;
  return text.slice(at + 1, at + 1 + text.charCodeAt(at));
}

export interface FetchLoad {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly method?: 'GET' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests of each connection, one after the other. */
  readonly times: number;
  /** After which no further ones are sent; no bound when absent. */
  readonly seconds?: number;
  /** Connections that fetch at the same time; one when absent. */
  readonly requesters?: number;
}

export interface FetchResult {
  /** Bytes of the body of one answer. */
  readonly bytes: number;
  /** Latency of every complete answer. */
  readonly milliseconds: readonly number[];
  /** Requests that were refused or cut off; a connection that was cut asks no more. */
  readonly failed: number;
  readonly seconds: number;
}

/** Fetches the same large answer again and again, on one connection or many. */
async function fetchAll(load: FetchLoad): Promise<FetchResult> {
  const { endpoint, path, method = 'GET', headers, times, seconds, requesters = 1 } = load;
  const request = requestBytes(endpoint, method, path, undefined, headers);
  const milliseconds: number[] = [];
  let bytes = 0;
  const connections = await Promise.all(Array.from({ length: requesters }, () => Connection.open(endpoint)));
  const start = now();
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : start + seconds * 1000;
  const fetch = async (connection: Connection) => {
    for (let time = 0; time < times && now() < end; time++) {
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
  /** Name of the single object. */
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
