import type { CounterSeries, GaugeSeries, HistogramSeries, Metrics } from '@orch/runtime';
import { REQUEST_DURATION_BUCKETS } from '@orch/runtime';
import type { Route } from '../router.js';

/** Counts and times requests under the names that existing dashboards query. */
export class RequestMetrics {
  readonly #total;
  readonly #duration;
  readonly #inflight;
  readonly #longRunning;
  readonly #deprecated;

  constructor(metrics: Metrics) {
    const labels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
    this.#total = metrics.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, resource and status code.',
      labels: [...labels, 'code'] as const,
    });
    this.#duration = metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time from request to answer, watches left out.',
      labels,
      buckets: REQUEST_DURATION_BUCKETS,
    });
    this.#inflight = metrics.gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Requests being carried out, watches left out.',
      labels: ['request_kind'] as const,
    });
    this.#longRunning = metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Open watches.',
      labels: ['verb', 'group', 'version', 'resource', 'scope', 'component'] as const,
    });
    this.#deprecated = metrics.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated versions that have been requested.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'] as const,
    });
  }

  /** Marks the use of a deprecated version (spec: "Deprecation rules"). */
  deprecated({ endpoint, subresource }: Route): void {
    const { group, version, resource, lifecycle } = endpoint.definition;
    this.#deprecated.with(group, version, resource, subresource, lifecycle.removed ?? '').set(1);
  }

  total(route: Route, code: number): CounterSeries {
    const [verb, group, version, resource, subresource, scope, component] = labelsOf(route);
    return this.#total.with(verb, group, version, resource, subresource, scope, component, String(code));
  }

  duration(route: Route): HistogramSeries {
    return this.#duration.with(...labelsOf(route));
  }

  inflight(route: Route): GaugeSeries {
    const mutating = route.verb !== 'get' && route.verb !== 'list';
    return this.#inflight.with(mutating ? 'mutating' : 'readOnly');
  }

  longRunning(route: Route): GaugeSeries {
    const [verb, group, version, resource, , scope, component] = labelsOf(route);
    return this.#longRunning.with(verb, group, version, resource, scope, component);
  }
}

/** Verbs as the reference system's metrics write them. */
const METRIC_VERB = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
} as const;

function labelsOf({ verb, endpoint, subresource, name, namespace }: Route) {
  const { group, version, resource } = endpoint.definition;
  const scope = name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster';
  return [METRIC_VERB[verb], group, version, resource, subresource, scope, 'apiserver'] as const;
}
