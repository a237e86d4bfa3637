import { listEstimate, ONE_SEAT, type WorkEstimate, writeEstimate } from '@orch/flowcontrol';
import type { ServedResources } from '@orch/resources';
import { kindOf } from '@orch/serving';
import type { WatchCache } from '@orch/watchcache';
import type { EstimatedRequest } from './fair-turns.js';

interface WorkKnown {
  readonly served: ServedResources;
  readonly cache: Pick<WatchCache, 'peek'>;
  /** Whether lists are divided into pages. */
  readonly chunking: boolean;
}

/**
 * Estimates the seats that a request takes: lists by the objects that they read, writes by the watchers here. A type
 * that is not in memory counts as one seat: how many objects there are is not known, and lists of it have a limit of
 * their own.
 */
export function workOfRequest({ served, cache, chunking }: WorkKnown) {
  return (request: EstimatedRequest, maxSeats: number): WorkEstimate => {
    const { info, query } = request;
    const { verb, group, resource, subresource, name } = info;
    if (!info.isResourceRequest || verb === 'get' || verb === 'watch') return ONE_SEAT;
    // Of one object, a read of that.
    if (verb === 'list' && name !== '') return ONE_SEAT;
    // A request for a token changes no object.
    if (resource === 'serviceaccounts' && subresource === 'token') return ONE_SEAT;
    const endpoint = served.current.ofResource(group, resource);
    const known = endpoint && cache.peek(endpoint.type);
    if (!known) return ONE_SEAT;
    if (verb !== 'list') return kindOf(request) === 'mutating' ? writeEstimate(known.watchers, maxSeats) : ONE_SEAT;
    return listEstimate({ stored: known.ready() ? known.objects : undefined, ...listed(query, chunking) }, maxSeats);
  };
}

/** Parses a list's query; distinguishes lists from the cache and from storage as the reference does. */
function listed(query: URLSearchParams, chunking: boolean) {
  const version = query.get('resourceVersion') ?? '';
  const asked = chunking ? Number(query.get('limit') ?? 0) : 0;
  const limit = Number.isFinite(asked) ? Math.max(0, asked) : 0;
  const match = query.get('resourceVersionMatch') ?? '';
  const goesOn = chunking && (query.get('continue') ?? '') !== '';
  const isFromStorage =
    version === '' || goesOn || (limit > 0 && version !== '0') || (match !== '' && match !== 'NotOlderThan');
  const hasSelector = (query.get('labelSelector') ?? query.get('fieldSelector') ?? '') !== '';
  return { limit, isFromCache: !isFromStorage, hasSelector };
}
