import { type Manifest, render } from '../deploy/helm.js';
import type { ScrapeFiles } from './prometheus.js';

/** A pod of the chart, as far as the Prometheus operator looks at it. */
export interface MonitoredPod {
  /** Label `app.kubernetes.io/component`. */
  readonly component: string;
  /** `host:port` by the name of the port. */
  readonly ports: Readonly<Record<string, string>>;
}

interface Endpoint {
  readonly port: string;
  readonly path: string;
  readonly scheme?: string;
  readonly interval: string;
  readonly scrapeTimeout?: string;
  readonly tlsConfig?: { readonly serverName: string };
  readonly relabelings?: readonly Relabeling[];
}
interface Relabeling {
  readonly sourceLabels?: readonly string[];
  readonly regex?: string;
  readonly targetLabel: string;
  readonly replacement?: string;
}

const MONITORED = [
  '--set=monitoring.podMonitor.enabled=true,monitoring.podMonitor.tokenSecret=metrics',
  '--set=monitoring.podMonitor.interval=5s,monitoring.podMonitor.timeout=5s',
];

/** The PodMonitors that the chart renders in its default size. */
export const podMonitors = (): Manifest[] =>
  render('values', ...MONITORED).objects.filter(({ kind }) => kind === 'PodMonitor');

/**
 * What the Prometheus operator makes of PodMonitors: a job for each endpoint, called by namespace, name and index until relabelings say
 * otherwise (its `generatePodMonitorConfig`). Pods are given, not found by the API.
 */
export function scrapeConfigsOf(
  monitors: readonly Manifest[],
  pods: readonly MonitoredPod[],
  files: ScrapeFiles,
): object[] {
  return monitors.flatMap(({ metadata, spec }) =>
    (spec.podMetricsEndpoints as Endpoint[]).map((endpoint, at) => ({
      job_name: `podMonitor/orch/${metadata.name}/${at}`,
      scheme: endpoint.scheme ?? 'http',
      metrics_path: endpoint.path,
      scrape_interval: endpoint.interval,
      ...(endpoint.scrapeTimeout && { scrape_timeout: endpoint.scrapeTimeout }),
      ...(endpoint.tlsConfig && {
        tls_config: { ca_file: files.ca, server_name: endpoint.tlsConfig.serverName },
        authorization: { credentials_file: files.token },
      }),
      static_configs: pods
        .filter(({ component, ports }) => selects(spec.selector, component) && ports[endpoint.port] !== undefined)
        .map(({ component, ports }) => ({
          targets: [ports[endpoint.port]],
          labels: { __meta_kubernetes_pod_label_app_kubernetes_io_component: component },
        })),
      relabel_configs: [
        { target_label: 'job', replacement: `orch/${metadata.name}` },
        ...(endpoint.relabelings ?? []).map(relabeling),
      ],
    })),
  );
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}
const COMPONENT = 'app.kubernetes.io/component';

const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, component: string): boolean =>
  [undefined, component].includes(matchLabels[COMPONENT]) &&
  matchExpressions.every(({ key, values }) => key !== COMPONENT || values.includes(component));

const relabeling = ({ sourceLabels, targetLabel, ...rest }: Relabeling): object => ({
  ...(sourceLabels && { source_labels: sourceLabels }),
  target_label: targetLabel,
  ...rest,
});
