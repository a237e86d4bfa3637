import { type Endpoint, requestBytes } from './connection.js';
import { objectBody, type Resource } from './resource.js';
import { SampleRequests } from './sample-requests.js';
import type { Sample } from './samples.js';
import { now } from './summary.js';
import { type Workload, workloadBody } from './workloads.js';

export interface RequestLoad {
  readonly endpoint: Endpoint;
  /** Bearer tokens of the requesters one by one, in the place of the endpoint's. */
  readonly tokens?: readonly string[];
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
  /** Workload that replaces filled objects; of the resource's kind. */
  readonly workload?: Workload;
  /** Sample that replaces filled objects; of the resource's kind. Its names are those of {@link sampleName}. */
  readonly sample?: Sample;
  /** Processes of the server, whose CPU time is counted while requests are under way. */
  readonly serverPids?: readonly number[];
}

const sampleRequests = new WeakMap<RequestLoad, SampleRequests>();

function sampleRequest(load: RequestLoad, sample: Sample, object: number, version?: string): Buffer {
  const requests = sampleRequests.get(load) ?? new SampleRequests(load, sample);
  sampleRequests.set(load, requests);
  return requests.of(object, version);
}

type Apply = 'apply' | 'apply-same' | 'apply-field';

const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };

/** A request for an object of a load. @param number tells it from the others */
export function requestOf(load: RequestLoad, object: number, version?: string, number = 0): Buffer {
  const { endpoint, resource, verb } = load;
  if (load.sample) return sampleRequest(load, load.sample, object, version);
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
