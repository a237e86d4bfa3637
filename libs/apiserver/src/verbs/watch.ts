import { randomInt } from 'node:crypto';
import { systemClock } from '@orch/feed';
import { expired, StatusError } from '@orch/machinery';
import type { StreamError } from '@orch/watchcache';
import type { ApiDeps, RequestLimits, ResourceCall } from '../deps.js';
import type { RequestContext } from '../http/context.js';
import { chunkedFrames } from '../http/frames.js';
import { connectionOf, WatchStream } from '../http/watch-stream.js';
import { type WatchOptions, watchOptions } from '../reading/read-options.js';
import { selectionOf } from '../reading/selection.js';
import type { Representation } from '../representation/representation.js';
import { weakMemo } from '../weak-memo.js';

const encoderOf = weakMemo((representation: Representation) => chunkedFrames(representation, streamStatus));

/** What stands in the `ERROR` event of a stream that cannot go on. */
function streamStatus(error: StreamError) {
  if (error === 'expired') return expired('The resourceVersion for the provided watch is too old.').status;
  return new StatusError('InternalError', 'the stream cannot be continued').status;
}

/** GET with `watch`: a chunked stream of events (spec: "Watch behavior"). */
export async function watch(deps: ApiDeps, ctx: RequestContext, call: ResourceCall): Promise<void> {
  const { endpoint, namespace, name } = call;
  const options = watchOptions(ctx.query, { kind: 'ListOptions', group: deps.names.metaGroup }, deps.watchList);
  const representation = deps.representations.choose(endpoint, ctx.req.headers.accept, ctx.query);
  const { streamContentType } = representation;
  if (streamContentType === undefined) {
    throw new StatusError('NotAcceptable', `${representation.contentType} has no form for streams`);
  }
  const selection = selectionOf(ctx.query, endpoint, name);
  const deadline = systemClock.now() + lifetimeMs(options, deps.limits);
  if (options.notOlderThan !== undefined) await deps.reader.reach(endpoint.type, options.notOlderThan);
  const socket = await connectionOf(ctx);
  if (!socket) return;
  const stream = new WatchStream(ctx, socket, streamContentType);
  const watcher = await deps.cache.type(endpoint.type, endpoint.description).watch({
    ...(namespace && { namespace }),
    ...(selection && { selection }),
    encoder: encoderOf(representation),
    from: options.from,
    initialEvents: options.initialEvents,
    bookmarks: options.bookmarks,
    sink: stream,
    deadline,
  });
  stream.open(() => watcher.close());
}

/** What the client asked for, else a random time so that the streams of a fleet don't end together. */
function lifetimeMs({ timeoutSeconds }: WatchOptions, { minRequestTimeoutSeconds }: RequestLimits): number {
  if (timeoutSeconds !== undefined) return timeoutSeconds * 1000;
  return minRequestTimeoutSeconds * 1000 + randomInt(0, minRequestTimeoutSeconds * 1000 + 1);
}
