import type { CertificateEnds } from '@orch/credentials';
import type { VersionInfo } from '@orch/discovery';
import type { Metrics } from '@orch/runtime';
import { CUT_REASONS, type CutReason } from '@orch/serving';

/** Reports the build of this process: its version, platform and compiler. */
export function observeBuild(metrics: Metrics, version: VersionInfo): void {
  metrics
    .gauge({
      name: 'kubernetes_build_info',
      help: 'Always 1; the labels describe the running build.',
      labels: ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'compiler', 'platform'],
    })
    .with(
      version.major,
      version.minor,
      version.gitVersion,
      version.gitCommit,
      version.gitTreeState,
      version.buildDate,
      version.compiler,
      version.platform,
    )
    .set(1);
}

/** Reports when the certificates that this process uses expire. */
export function observeCertificates(metrics: Metrics, ends: Pick<CertificateEnds, 'series'>): void {
  metrics.observedGauge(
    {
      name: 'orch_certificate_expiry_timestamp_seconds',
      help: 'Expiry of the first certificate to expire in a file that this process uses, in seconds since 1970, by its purpose or by the option that names the file; for CA bundles in API objects (ca-bundle), by the path of the object.',
      labels: ['certificate', 'file'] as const,
    },
    () => ends.series(),
  );
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LEFT_BUCKETS = [
  0,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
];

/** Returns a recorder of the client certificates of requests: milliseconds until they expire. */
export function clientCertificates(metrics: Metrics): (left: number) => void {
  const series = metrics
    .histogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Remaining lifetime of the client certificate that authenticated a request.',
      labels: [] as const,
      buckets: LEFT_BUCKETS,
    })
    .with();
  return (left) => series.observe(left / 1000);
}

/** Returns a counter of requests that this process sends; `code` is `<error>` where no response came. */
export function clientRequests(metrics: Metrics): (host: string, method: string, code: string) => void {
  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Requests made of other servers.',
    labels: ['host', 'method', 'code'] as const,
  });
  return (host, method, code) => requests.with(host, method, code).inc();
}

/** Returns a counter of connections that were closed because their client had vanished. */
export function vanishedClients(metrics: Metrics): () => void {
  const vanished = metrics
    .counter({
      name: 'orch_vanished_clients_total',
      help: 'Number of connections that were closed because the client no longer acknowledged data.',
      labels: [] as const,
    })
    .with();
  return () => vanished.inc();
}

/** Returns a counter of connections to other servers, and streams over them, that were cut. */
export function outgoingCuts(metrics: Metrics): (reason: CutReason) => void {
  const cuts = metrics.counter({
    name: 'orch_outgoing_streams_cut_total',
    help: 'Number of connections and streams to gateways and extension servers that this server cut, by reason: the peer acknowledged nothing (vanished), sent no bookmarks when they were due (silent), or had not ended in time (deadline).',
    labels: ['reason'] as const,
  });
  for (const reason of CUT_REASONS) cuts.with(reason);
  return (reason) => cuts.with(reason).inc();
}
