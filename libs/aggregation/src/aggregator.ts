import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { badRequest } from '@orch/machinery';
import { shuttingDown, tooMany } from '@orch/resources';
import {
  type Answerer,
  type Answering,
  endWithCredential,
  forgetHeaders,
  isGone,
  isLongRunning,
  left,
  type OpenContext,
  type RequestContext,
  type RequestInfo,
  type RequestMetrics,
  requestInfoOf,
} from '@orch/serving';
import type { Extensions } from './extensions.js';
import { forward, serviceUnavailable } from './forward.js';
import { isAvailable } from './registration.js';
import type { RemoteRegistration, RemoteRegistrations } from './remote-registrations.js';

interface AggregatorOptions {
  /** Returns the current registrations. */
  registrations(): RemoteRegistrations;
  readonly extensions: Pick<Extensions, 'of'>;
  /** Requests that one server may be answering at a time, streams left out; 0 for no limit. */
  readonly maxRequests: number;
  /** Milliseconds that a server has to begin a stream; other requests have a deadline of their own. */
  readonly streamStartMs: number;
  /** Milliseconds for a client to read what is left of a connection that a server has ended; 0 is no bound. */
  readonly unreadMs: number;
}

/** Segments `.` and `..`, which some servers resolve, to a path that was not authorized; objects have no such names. */
const STEP = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Milliseconds that a server has to answer discovery: clients ask all servers for it. */
const DISCOVERY_MS = 5_000;

/** Passes requests on to the servers that their group-versions are registered for. */
export class Aggregator implements Answerer {
  /** Pseudonym in the `Via` header, by which a request that loops back is recognized. */
  readonly #via = `orch-${randomBytes(6).toString('hex')}`;
  /** Requests under way, by service. */
  readonly #underWay = new Map<string, number>();

  constructor(private readonly options: AggregatorOptions) {}

  /**
   * Answers a request that is another server's to answer; undefined for all others.
   * @throws StatusError 503, 429, 400
   */
  answer(ctx: OpenContext, answering: Answering): Promise<void> | undefined {
    const registration = this.#find(ctx.info);
    return registration && this.#pass(ctx, registration, answering);
  }

  /** Whether a request is another server's to answer. */
  answers(info: RequestInfo): boolean {
    return this.#find(info) !== undefined;
  }

  /** Whether another server decides which protocol a connection goes on with. */
  takesUpgrade(req: IncomingMessage): boolean {
    const info = requestInfoOf(req);
    return info?.isResourceRequest === true && this.#find(info) !== undefined;
  }

  #find(info: RequestInfo): RemoteRegistration | undefined {
    const registrations = this.options.registrations();
    if (registrations.size === 0) return undefined;
    const { isResourceRequest, group, version, path } = info;
    if (isResourceRequest) return registrations.of(group, version);
    return registrations.of(...groupVersionOf(path));
  }

  async #pass(ctx: OpenContext, registration: RemoteRegistration, answering: Answering): Promise<void> {
    const { observer, streams } = answering;
    observer.begin(ctx);
    // A server that decodes a path before splitting it, as Kubernetes does, would read another path than the authorized
    // one.
    if (/%2f/i.test(ctx.info.path)) throw badRequest('a segment of the path holds a slash');
    if (STEP.test(ctx.info.path)) throw badRequest('a segment of the path is . or ..');
    const extension = this.#reach(ctx, registration);
    if (streams.draining) throw shuttingDown();
    // The client disconnected during authentication.
    if (isGone(ctx)) return;
    const isStream = isLongRunning(ctx.info) || ctx.upgrade !== undefined;
    const end = isStream ? admit(ctx, answering) : this.#enter(registration, answering.metrics);
    ctx.res.once('close', end);
    try {
      const limitMs = isStream ? this.options.streamStartMs : DISCOVERY_MS;
      const stream = await forward(ctx, extension, {
        ...{ via: this.#via, connections: streams.connections, unreadMs: this.options.unreadMs },
        ...((isStream || isOfDiscovery(ctx.info)) && { limitMs }),
      });
      if (stream) {
        streams.add(ctx, stream);
        endWithCredential(ctx, () => stream.end());
        observer.end(ctx);
        forgetHeaders(ctx);
        return;
      }
    } catch (error) {
      end();
      throw error;
    }
    await left(ctx);
    observer.end(ctx);
  }

  #reach({ req }: RequestContext, registration: RemoteRegistration) {
    if (!isAvailable(registration)) throw serviceUnavailable('service unavailable');
    if (String(req.headers.via ?? '').includes(this.#via))
      throw serviceUnavailable(`the service of the APIService ${registration.name} leads back to this server`);
    try {
      return this.options.extensions.of(registration);
    } catch {
      // The condition of the registration says why.
      throw serviceUnavailable('service unavailable');
    }
  }

  /**
   * Counts a request against its server's limit, so that a slow server cannot hold all that this one may have.
   * @throws StatusError 429
   */
  #enter({ service: { namespace, name, port } }: RemoteRegistration, metrics: RequestMetrics): () => void {
    const key = `${namespace}/${name}:${port}`;
    const count = this.#underWay.get(key) ?? 0;
    if (this.options.maxRequests > 0 && count >= this.options.maxRequests) {
      metrics.refused('extension-requests');
      throw tooMany();
    }
    this.#underWay.set(key, count + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const left = (this.#underWay.get(key) ?? 1) - 1;
      if (left > 0) this.#underWay.set(key, left);
      else this.#underWay.delete(key);
    };
  }
}

/** Counts a watch or another stream. @throws StatusError 429 */
function admit(ctx: OpenContext, { watches, metrics }: Answering): () => void {
  const { authentication, user, info: request, impersonating, pendingWatch } = ctx;
  const watch = watches.admit({ authentication, user, request, impersonating }, pendingWatch);
  if (!watch) {
    metrics.refused(request.verb === 'watch' ? 'watches' : 'streams');
    throw tooMany();
  }
  ctx.watch = watch;
  return () => watches.release(watch);
}

/** Parses the paths beside resources that are proxied: discovery of a group-version, and its OpenAPI 3 document. */
function groupVersionOf(path: string): [group: string, version: string] {
  if (path === '/api' || path === '/api/v1') return ['', 'v1'];
  const [, group = '', version = ''] = /^(?:\/openapi\/v3)?\/apis\/([^/]+)\/([^/]+)\/?$/.exec(path) ?? [];
  return [group, version];
}

const isOfDiscovery = ({ isResourceRequest, path }: RequestInfo): boolean =>
  !isResourceRequest && !path.startsWith('/openapi/');
