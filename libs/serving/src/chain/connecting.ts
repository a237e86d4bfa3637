import type { IncomingMessage } from 'node:http';
import { originForm, splitTarget } from '../http/context.js';
import { type RequestInfo, requestInfo } from './request-info.js';

/** Reads the attributes of a request that is not in the chain yet; undefined for one that will be refused. */
export function requestInfoOf({ method = 'GET', url = '/' }: IncomingMessage): RequestInfo | undefined {
  const { path, query } = splitTarget(originForm(url));
  try {
    return requestInfo(method, path, query);
  } catch {
    return undefined;
  }
}

/** Subresources by which clients connect to pods, services and nodes, with any protocol. */
const CONNECTING: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy']);

/** Whether a request connects its client to a pod, a service or a node: what is there decides about protocols. */
export const connectsTo = ({ isResourceRequest, group, subresource }: RequestInfo): boolean =>
  isResourceRequest && group === '' && CONNECTING.has(subresource);
