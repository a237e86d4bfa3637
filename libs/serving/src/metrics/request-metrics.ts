import { type Endpoint, THROWN_LIMITS, type ThrownLimit } from '@orch/resources';
import type { CounterSeries, Family, GaugeSeries, HistogramSeries, Metrics } from '@orch/runtime';
import { REQUEST_DURATION_BUCKETS } from '@orch/runtime';
import type { RequestKind } from '../chain/turns.js';
import type { RequestContext } from '../http/context.js';
import type { Route } from '../http/route.js';
import { CONNECTION_REFUSALS, type ConnectionRefusal } from '../sockets/connection-limits.js';
import { Inflight } from './inflight.js';
import { dryRunOf, methodLabel, metricVerb, rootOf, scopeOf } from './request-labels.js';

const PLACE = ['group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const WITHOUT_DRY_RUN = ['verb', ...PLACE] as const;
const LABELS = ['verb', 'dry_run', ...PLACE] as const;
type Place = readonly [
  group: string,
  version: string,
  resource: string,
  subresource: string,
  scope: string,
  'apiserver',
];

/** Durations below 50 ms are no subject of objectives for requests. */
const SLI_BUCKETS = REQUEST_DURATION_BUCKETS.filter((bound) => bound >= 0.05);
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Codes of responses that protect the server: a timeout, or overload. */
const TERMINATED: ReadonlySet<number> = new Set([429, 504]);
const READS: ReadonlySet<string> = new Set(['GET', 'LIST']);

const KINDS: readonly RequestKind[] = ['mutating', 'readOnly'];

/** Limits that are counted where a request is refused. */
const COUNTED = [
  'requests',
  'body-bytes',
  'slow-bodies',
  'unread-answers',
  'watches',
  'streams',
  'selectors',
  'initial-bytes',
  'extension-requests',
] as const;
/** A limit that requests are refused by. */
export type Limit = (typeof COUNTED)[number] | ThrownLimit | ConnectionRefusal;

interface Families {
  readonly total: Family<readonly [...typeof LABELS, 'code'], CounterSeries>;
  readonly duration: Family<typeof LABELS, HistogramSeries>;
  readonly sli: Family<typeof WITHOUT_DRY_RUN, HistogramSeries>;
  readonly sizes: Family<typeof WITHOUT_DRY_RUN, HistogramSeries>;
  readonly terminations: Family<readonly [...typeof WITHOUT_DRY_RUN, 'code'], CounterSeries>;
}

/** Series of requests with equal labels; looked up once, so that counting a request takes a few additions. */
class RequestSeries {
  readonly #byCode = new Map<number, CounterSeries>();
  readonly #duration: HistogramSeries | undefined;
  readonly #sli: HistogramSeries | undefined;
  readonly #sizes: HistogramSeries | undefined;

  constructor(
    private readonly families: Families,
    private readonly verb: string,
    private readonly dryRun: string,
    private readonly place: Place,
  ) {
    if (verb === 'WATCH') return;
    this.#duration = families.duration.with(verb, dryRun, ...place);
    this.#sli = families.sli.with(verb, ...place);
    if (READS.has(verb)) this.#sizes = families.sizes.with(verb, ...place);
  }

  count(code: number): void {
    let series = this.#byCode.get(code);
    if (series === undefined) {
      series = this.families.total.with(this.verb, this.dryRun, ...this.place, String(code));
      this.#byCode.set(code, series);
    }
    series.inc();
    if (TERMINATED.has(code)) this.families.terminations.with(this.verb, ...this.place, String(code)).inc();
  }

  time(seconds: number): void {
    this.#duration?.observe(seconds);
    this.#sli?.observe(seconds);
  }

  size(bytes: number): void {
    this.#sizes?.observe(bytes);
  }
}

/**
 * Counts and times requests under the names that existing dashboards query. No label contains text of a client: routes,
 * verbs and codes come from fixed sets.
 */
export class RequestMetrics {
  readonly #families: Families;
  readonly #longRunning;
  readonly #deprecated;
  readonly #refused;
  readonly #inflight = { mutating: new Inflight(), readOnly: new Inflight() };
  readonly #inQueue = { mutating: new Inflight(), readOnly: new Inflight() };
  readonly #routed = new WeakMap<Endpoint, Map<string, RequestSeries>>();
  readonly #others = new Map<string, RequestSeries>();

  constructor(metrics: Metrics) {
    this.#families = families(metrics);
    metrics.histogramAlias(
      {
        name: 'apiserver_request_slo_duration_seconds',
        help: 'The same as apiserver_request_sli_duration_seconds, under its older name.',
        labels: WITHOUT_DRY_RUN,
        deprecated: '1.27.0',
      },
      this.#families.sli,
    );
    this.#longRunning = metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Number of open watches.',
      labels: WITHOUT_DRY_RUN,
      stability: 'STABLE',
    });
    this.#deprecated = metrics.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated API versions that have been requested.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'] as const,
      stability: 'STABLE',
    });
    this.#refused = metrics.counter({
      name: 'orch_limit_refusals_total',
      help: 'Number of requests and connections that were refused because a limit was reached.',
      labels: ['limit'] as const,
    });
    // A series that begins with its first refusal would hide that refusal from rates.
    for (const limit of [...COUNTED, ...THROWN_LIMITS, ...CONNECTION_REFUSALS]) this.#refused.with(limit);
    const highest = (name: string, help: string, of: Readonly<Record<RequestKind, Inflight>>): void =>
      metrics.observedGauge({ name, help, labels: ['request_kind'] as const, stability: 'STABLE' }, () => {
        const now = performance.now();
        return KINDS.map((kind) => [[kind], of[kind].highest(now)] as const);
      });
    highest(
      'apiserver_current_inflight_requests',
      'Maximum number of requests that were executed concurrently within the last second, without watches.',
      this.#inflight,
    );
    highest(
      'apiserver_current_inqueue_requests',
      'Maximum number of requests that were queued within the last second.',
      this.#inQueue,
    );
  }

  /** Marks the use of a deprecated version (spec: "Deprecation rules"). */
  deprecated({ endpoint, subresource }: Route): void {
    const { group, version, resource, lifecycle } = endpoint.definition;
    this.#deprecated.with(group, version, resource, subresource, lifecycle.removed ?? '').set(1);
  }

  /** Counts a request as being executed, until `leave` of the returned gauge. `now`: monotonic milliseconds. */
  enter(kind: RequestKind, now: number): Inflight {
    this.#inflight[kind].enter(now);
    return this.#inflight[kind];
  }

  /** Counts a request as queued, in the same way. */
  enterQueue(kind: RequestKind, now: number): Inflight {
    this.#inQueue[kind].enter(now);
    return this.#inQueue[kind];
  }

  /** Counts a refusal by the limit that was reached. */
  refused(limit: Limit): void {
    this.#refused.with(limit).inc();
  }

  /** The gauge of open long-running requests (watches and connections) of a route. */
  longRunning({ verb, endpoint, subresource, namespace, name }: Route): GaugeSeries {
    const { group, version, resource } = endpoint.definition;
    const scope = scopeOf(verb, namespace, name);
    return this.#longRunning.with(metricVerb(verb, ''), group, version, resource, subresource, scope, 'apiserver');
  }

  /** Returns the series of a request: by its route, or by its path if it has none. */
  series(ctx: RequestContext, route: Route | undefined): RequestSeries {
    return route ? this.#ofRoute(ctx, route) : this.#ofPath(ctx);
  }

  /** Counts a request that a component of this process has made without a connection, once it has ended. */
  endedWithin(route: Route, code: number, seconds: number): void {
    const series = this.#seriesOf(route, metricVerb(route.verb, undefined, route.subresource), '');
    series.count(code);
    series.time(seconds);
  }

  #ofRoute({ req, query }: RequestContext, route: Route): RequestSeries {
    return this.#seriesOf(
      route,
      metricVerb(route.verb, req.headers['content-type'], route.subresource),
      dryRunOf(query),
    );
  }

  #seriesOf(route: Route, verb: string, dryRun: string): RequestSeries {
    const { endpoint, subresource } = route;
    const scope = scopeOf(route.verb, route.namespace, route.name);
    let known = this.#routed.get(endpoint);
    if (known === undefined) {
      known = new Map();
      this.#routed.set(endpoint, known);
    }
    const key = `${verb} ${scope} ${dryRun} ${subresource}`;
    let series = known.get(key);
    if (series === undefined) {
      const { group, version, resource } = endpoint.definition;
      series = new RequestSeries(this.#families, verb, dryRun, [
        group,
        version,
        resource,
        subresource,
        scope,
        'apiserver',
      ]);
      known.set(key, series);
    }
    return series;
  }

  #ofPath({ req, path }: RequestContext): RequestSeries {
    const [method, root] = [methodLabel(req.method), rootOf(path)];
    const key = `${method} ${root}`;
    let series = this.#others.get(key);
    if (series === undefined) {
      series = new RequestSeries(this.#families, method, '', ['', '', '', root, '', 'apiserver']);
      this.#others.set(key, series);
    }
    return series;
  }
}

function families(metrics: Metrics): Families {
  const durations = 'Response time of requests in seconds, without watches';
  return {
    total: metrics.counter({
      name: 'apiserver_request_total',
      help: 'Number of requests by verb, resource and status code.',
      labels: [...LABELS, 'code'] as const,
      stability: 'STABLE',
    }),
    duration: metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: `${durations}.`,
      labels: LABELS,
      buckets: REQUEST_DURATION_BUCKETS,
      stability: 'STABLE',
    }),
    sli: metrics.histogram({
      name: 'apiserver_request_sli_duration_seconds',
      help: `${durations} and without the time of webhooks and other callbacks, for service level objectives.`,
      labels: WITHOUT_DRY_RUN,
      buckets: SLI_BUCKETS,
    }),
    sizes: metrics.histogram({
      name: 'apiserver_response_sizes',
      help: 'Size of the response bodies of gets and lists in bytes.',
      labels: WITHOUT_DRY_RUN,
      buckets: SIZE_BUCKETS,
      stability: 'STABLE',
    }),
    terminations: metrics.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Number of requests that were terminated to protect the server.',
      labels: [...WITHOUT_DRY_RUN, 'code'] as const,
    }),
  };
}
