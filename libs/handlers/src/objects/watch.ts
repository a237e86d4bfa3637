import { randomInt } from 'node:crypto';
import { MASTERS } from '@orch/authorization';
import { expired, StatusError } from '@orch/machinery';
import { selectionOf, thoughUnloaded, type WatchQuery, watchOptions } from '@orch/reading';
import { systemClock } from '@orch/runtime/clock';
import { type RequestContext, type ResourceCall, watchedKinds, watchTransports } from '@orch/serving';
import type { StreamError } from '@orch/watchcache';
import type { ApiDeps, RequestLimits } from '../deps.js';
import { watchedDescription } from './watched-description.js';

const transportOf = watchTransports(streamStatus);

/** Builds the Status of the `ERROR` event of a stream that cannot go on. */
function streamStatus(error: StreamError) {
  if (error instanceof Error) return StatusError.from(error).status;
  if (error === 'expired') return expired('The resourceVersion for the provided watch is too old.').status;
  return new StatusError('InternalError', 'the stream cannot be continued').status;
}

/** GET with `watch`: a stream of events (spec: "Watch behavior"). */
export async function watch(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const options = watchOptions(ctx.query, { kind: 'ListOptions', group: deps.names.metaGroup }, deps.watchList);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const { streamContentType } = representation;
  if (streamContentType === undefined) {
    throw deps.representations.streamsNotAcceptable();
  }
  const selection = selectionOf(ctx.query, endpoint, name);
  const deadline = systemClock.now() + Math.min(lifetimeMs(options, deps.limits), leftMs(ctx));
  if (options.notOlderThan !== undefined) await deps.reader.reach(endpoint.type, options.notOlderThan);
  const transport = await transportOf(ctx, streamContentType, deps.watchOutputs);
  if (!transport) return;
  const { response } = transport;
  const encoder = transport.encoderOf(representation);
  watchedKinds.set(encoder, endpoint.definition);
  if (encoder.following) watchedKinds.set(encoder.following, endpoint.definition);
  const request = {
    ...(namespace && { namespace }),
    ...(selection && { selection }),
    encoder,
    from: options.from,
    initialEvents: options.initialEvents,
    bookmarks: options.bookmarks,
    sink: response,
    ...(!ctx.user.groups.includes(MASTERS) && { owner: ctx.user.name }),
    deadline,
  };
  const state = () => deps.cache.type(endpoint.type, watchedDescription(endpoint));
  const watcher = await thoughUnloaded(() => state().watch(request));
  const leave = deps.servedWatches.add(endpoint, watcher);
  response.open(ctx, () => {
    leave();
    watcher.close();
  });
  // Behind the head, for it may be wanted already.
  ctx.watch?.endBy((refusal) => watcher.refuse(refusal));
}

/** Rights are live: a stream ends with the credential that it was opened with. */
const leftMs = ({ authentication: { expiresAt = Number.POSITIVE_INFINITY } }: RequestContext): number =>
  expiresAt - Date.now();

/**
 * Lifetime of a watch: the timeout that the client asked for, else a random time so that the streams of a fleet do not
 * end together; in either case at most the age that the server allows.
 */
export function lifetimeMs(
  { timeoutSeconds }: Pick<WatchQuery, 'timeoutSeconds'>,
  { minRequestTimeoutSeconds, maxWatchAgeMs }: Pick<RequestLimits, 'minRequestTimeoutSeconds' | 'maxWatchAgeMs'>,
): number {
  const least = minRequestTimeoutSeconds * 1000;
  const wanted = timeoutSeconds === undefined ? least + randomInt(0, least + 1) : timeoutSeconds * 1000;
  if (maxWatchAgeMs === 0) return wanted;
  const half = Math.floor(maxWatchAgeMs / 2);
  return Math.min(wanted, half + randomInt(0, maxWatchAgeMs - half + 1));
}
