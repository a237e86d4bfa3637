/** A time series of promtool, and what it does while a fault lasts; samples come as the chart has Prometheus ask for them. */
export interface FaultSeries {
  readonly series: string;
  /** Its value before and after; what it grows by in a minute, for a counter. */
  readonly calm: number;
  /** The same during the fault; undefined where it is not there then. */
  readonly faulty: number | undefined;
  /** `gauge` has the values that are given, `counter` grows by them, `age` grows by a second each second while the fault lasts. */
  readonly kind: 'gauge' | 'counter' | 'age' | 'once';
}

/** What makes an alert fire. */
export interface Fault {
  readonly alert: string;
  /** Told apart where an alert has two rules. */
  readonly severity?: 'critical' | 'warning';
  /** What happens. */
  readonly fault: string;
  /** What the fault does to what is scraped. */
  readonly series: readonly FaultSeries[];
  /** Minutes before the fault, of it, and behind it. Default 15, 30 and 30. */
  readonly minutes?: readonly [before: number, during: number, after: number];
}

const gauge = (series: string, calm: number, faulty: number): FaultSeries => ({ series, calm, faulty, kind: 'gauge' });
const counter = (series: string, calm: number, faulty: number): FaultSeries => ({
  ...{ series, calm, faulty },
  kind: 'counter',
});
const gone = (series: string): FaultSeries => ({ series, calm: 1, faulty: undefined, kind: 'gauge' });
const age = (series: string): FaultSeries => ({ series, calm: 0, faulty: 0, kind: 'age' });
/** A counter that grows at the beginning of the fault alone. */
const once = (series: string, by: number): FaultSeries => ({ series, calm: 0, faulty: by, kind: 'once' });

const SLI = 'apiserver_request_sli_duration_seconds';
const slow = [
  counter(`${SLI}_count{scope="resource"}`, 600, 600),
  counter(`${SLI}_bucket{scope="resource",le="1"}`, 600, 240),
];
const code = (code: string) => `apiserver_request_total{instance="a",subresource="",code="${code}"}`;
const RELOADED = 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds';
const CLIENTS = 'apiserver_client_certificate_expiration_seconds_bucket{instance="a"';
const [SOON, LATER] = [10 * 86_400, 300 * 86_400];

/** For each alert of `deploy/prometheus/rules` the fault that it is for. */
export const FAULTS: readonly Fault[] = [
  {
    alert: 'OrchRequestErrors',
    fault: 'PostgreSQL is killed, so that all writes fail',
    series: [counter(code('201'), 600, 0), counter(code('503'), 0, 600)],
  },
  {
    alert: 'OrchRequestsTerminated',
    fault: 'an admission webhook hangs until the time of requests is over: 1 of 5 requests',
    series: [
      counter(code('200'), 600, 480),
      counter(code('504'), 0, 120),
      counter('apiserver_request_terminations_total{instance="a",code="504"}', 0, 120),
    ],
  },
  {
    alert: 'OrchLimitsReached',
    fault: 'a client sends heads that are too large, twice a second',
    series: [counter('orch_limit_refusals_total{instance="a",limit="head"}', 0, 120)],
  },
  {
    alert: 'OrchLatencyBudgetBurn',
    severity: 'critical',
    fault: 'a session holds the table of objects in PostgreSQL, so that 3 of 5 requests take seconds',
    series: slow,
    minutes: [75, 60, 75],
  },
  {
    alert: 'OrchLatencyBudgetBurn',
    severity: 'warning',
    fault: 'the same, for longer',
    series: slow,
    minutes: [375, 120, 390],
  },
  {
    alert: 'OrchPostgresDown',
    fault: 'PostgreSQL is killed',
    series: [gauge('kubernetes_healthcheck{job="health",instance="a",name="postgres",type="readyz"}', 1, 0)],
  },
  {
    alert: 'OrchEmbeddedPostgresEnds',
    fault: 'the embedded PostgreSQL of `orch standalone` is killed once',
    series: [once('orch_embedded_postgres_ends_total{instance="a"}', 1)],
    minutes: [15, 1, 75],
  },
  {
    alert: 'OrchHistoryOverdue',
    fault: 'a view depends on the oldest partition of history',
    series: [age('orch_history_overdue_seconds{instance="a",database="0"}')],
    minutes: [15, 150, 30],
  },
  {
    alert: 'OrchHistoryPartitionRefused',
    fault: 'the same',
    series: [gauge('orch_history_partitions_left{instance="a",database="0",cause="refused"}', 0, 1)],
  },
  {
    alert: 'OrchCompactionFails',
    fault: 'a function of the database that each round needs is gone; a round each 15 s',
    series: [counter('orch_history_compaction_failures_total{instance="a",database="0"}', 0, 4)],
    minutes: [15, 60, 30],
  },
  {
    alert: 'OrchCompactionStuck',
    fault: 'a session holds the table of leases, so that no round begins',
    series: [counter('orch_history_compaction_rounds_total{instance="a",database="0"}', 4, 0)],
  },
  {
    alert: 'OrchHistoryEnds',
    fault: 'the function of the database that makes partitions is gone, so that none are left ahead',
    series: [
      gauge('orch_history_end_version{instance="a",database="0"}', 40_000_000, 40_000_000),
      gauge('orch_history_newest_version{instance="a",database="0"}', 10_000_000, 30_000_000),
    ],
  },
  {
    alert: 'OrchLeaseNotHeld',
    fault: 'a session holds the table of leases',
    series: [gauge('leader_election_master_status{instance="a",name="controllers"}', 1, 0)],
  },
  {
    alert: 'OrchClockOff',
    fault: 'the clock of a machine is a minute behind',
    series: [gauge('orch_clock_offset_seconds{instance="a"}', 0, -60)],
  },
  {
    alert: 'OrchStoreConnectionsExhausted',
    fault: 'a session holds the table of objects, so that reads take all connections',
    series: [gauge('orch_store_pool_waiting{instance="a",pool="reads"}', 0, 12)],
  },
  {
    alert: 'OrchTransformationsFail',
    fault: 'the key that role bindings are encrypted with is taken out of the configuration of a gateway',
    series: [
      counter(
        'apiserver_storage_transformation_operations_total{instance="a",transformation_type="from_storage",status="Unknown"}',
        0,
        6,
      ),
    ],
  },
  {
    alert: 'OrchObjectsUnreadable',
    fault: 'the same',
    series: [
      counter(
        'orch_unreadable_objects_total{instance="a",group="rbac.authorization.k8s.io",resource="rolebindings"}',
        0,
        2,
      ),
    ],
  },
  {
    alert: 'OrchEncryptionReloadFailed',
    fault: 'the configuration of encryption is replaced by one that is none',
    series: [
      gauge(`${RELOADED}{instance="a",status="failure"}`, 0, 900),
      gauge(`${RELOADED}{instance="a",status="success"}`, 0, 0),
    ],
  },
  {
    alert: 'OrchKeyServiceFails',
    fault: 'a key management service answers with errors',
    series: [
      counter(
        'apiserver_envelope_encryption_kms_operations_latency_seconds_count{instance="a",provider_name="vault",grpc_status_code="Unavailable"}',
        0,
        4,
      ),
    ],
  },
  {
    alert: 'OrchAdmissionWebhookFails',
    fault: 'a validating webhook with `failurePolicy: Fail` is gone',
    series: [
      counter(
        'apiserver_admission_webhook_rejection_count{instance="a",name="w",error_type="calling_webhook_error"}',
        0,
        60,
      ),
    ],
  },
  {
    alert: 'OrchAdmissionWebhookFailsOpen',
    fault: 'one with `failurePolicy: Ignore` is gone',
    series: [counter('apiserver_admission_webhook_fail_open_count{instance="a",name="w"}', 0, 60)],
  },
  {
    alert: 'OrchAdmissionWebhookHangs',
    fault: 'one takes connections and answers nothing',
    series: [gauge('orch_admission_webhook_hanging_calls{instance="a",name="w"}', 0, 3)],
  },
  {
    alert: 'OrchConversionWebhookFails',
    fault: 'the webhook that converts a custom kind is gone',
    series: [
      counter(
        'apiserver_crd_webhook_conversion_duration_seconds_count{instance="a",crd_name="c",succeeded="false"}',
        0,
        60,
      ),
    ],
  },
  {
    alert: 'OrchReviewWebhookFails',
    fault: 'the webhook that is asked about tokens is gone',
    series: [counter('orch_review_webhook_calls_total{instance="a",webhook="authentication",result="failure"}', 0, 60)],
  },
  {
    alert: 'OrchAPIServiceUnavailable',
    fault: 'an APIService names a Service that is not there',
    series: [gauge('aggregator_unavailable_apiservice{instance="a",name="v1.gone"}', 0, 1)],
  },
  {
    alert: 'OrchRedisDown',
    fault: 'Redis is killed',
    series: [gauge('orch_redis_connected{instance="a",use="verdicts"}', 1, 0)],
  },
  {
    alert: 'OrchNatsDown',
    fault: 'NATS is killed',
    series: [gauge('orch_feed_bus_connected{instance="a"}', 1, 0)],
  },
  {
    alert: 'OrchFeedLag',
    fault: 'PostgreSQL is killed',
    series: [age('orch_feed_lag_seconds{instance="a"}')],
  },
  {
    alert: 'OrchFeedRefused',
    fault: 'somebody without the key publishes on NATS, once a second',
    series: [counter('orch_feed_refused_messages_total{instance="a",reason="unsigned"}', 0, 60)],
  },
  {
    alert: 'OrchFeedHeals',
    fault: 'NATS loses half of the messages',
    series: [
      counter('orch_feed_healed_changes_total{instance="a"}', 0, 300),
      counter('orch_delivery_leg_seconds_count{instance="a",leg="ring"}', 600, 600),
      gauge('orch_feed_bus_connected{instance="a"}', 1, 1),
    ],
  },
  {
    alert: 'OrchRingBehind',
    fault: 'PostgreSQL is killed',
    series: [age('orch_watch_cache_confirmed_age_seconds{instance="a",resource="pods"}')],
  },
  {
    alert: 'OrchWatchersStalled',
    fault: 'watchers of large objects stop reading: 12 of 16',
    series: [
      gauge('orch_watch_cache_behind{instance="a",resource="configmaps"}', 0, 12),
      gauge('orch_watch_cache_watchers{instance="a",resource="configmaps"}', 16, 16),
    ],
  },
  {
    alert: 'OrchWatchersExpired',
    fault: 'history passes 12 watchers that do not read',
    series: [once('orch_watch_cache_expired_total{instance="a",resource="configmaps"}', 12)],
    minutes: [15, 1, 75],
  },
  {
    alert: 'OrchGatewayStreamsCut',
    fault: 'a gateway stands still, so that the watches that it serves for an api-server are silent',
    series: [once('orch_outgoing_streams_cut_total{instance="a",reason="silent"}', 1)],
    minutes: [15, 1, 75],
  },
  {
    alert: 'OrchStateMismatch',
    fault: 'a row is removed in PostgreSQL behind the back of the servers',
    series: [once('orch_watch_cache_mismatches_total{instance="a",resource="configmaps"}', 1)],
    minutes: [15, 1, 75],
  },
  {
    alert: 'OrchAuditEventsLost',
    fault: 'the webhook that takes the audit log is gone',
    series: [counter('apiserver_audit_error_total{instance="a",plugin="webhook"}', 0, 60)],
  },
  {
    alert: 'OrchAuditRequestsRefused',
    fault: 'the audit log of a gateway cannot be written, with `blocking-strict`',
    series: [counter('apiserver_audit_requests_rejected_total{instance="a"}', 0, 60)],
  },
  {
    alert: 'OrchApiServerDown',
    fault: 'an api-server is killed',
    series: [gauge('up{job="apiserver",instance="a"}', 1, 0)],
  },
  {
    alert: 'OrchGatewayDown',
    fault: 'a gateway is killed, or stands still',
    series: [gauge('up{job="watch-gateway",instance="a"}', 1, 0)],
  },
  {
    alert: 'OrchApiServersMissing',
    fault: 'Prometheus finds no pods any more',
    series: [gone('up{job="apiserver",instance="a"}'), gone('up{job="health",instance="a"}')],
  },
  {
    alert: 'OrchGatewaysMissing',
    fault: 'the same',
    series: [gone('up{job="watch-gateway",instance="a"}')],
  },
  {
    alert: 'OrchHealthChecksMissing',
    fault: 'the same',
    series: [gone('kubernetes_healthcheck{job="health",instance="a",name="postgres",type="readyz"}')],
  },
  {
    alert: 'OrchLoadBalancerDown',
    fault: 'the load balancer is killed',
    series: [gauge('up{job="load-balancer",instance="a"}', 1, 0)],
  },
  {
    alert: 'OrchNotReady',
    fault: 'PostgreSQL is killed',
    series: [gauge('kubernetes_healthcheck{job="health",instance="a",name="postgres",type="readyz"}', 1, 0)],
  },
  {
    alert: 'OrchCertificateExpires',
    fault: 'a client authority that ends in ten days comes into a bundle, behind one that ends later',
    series: [
      gauge(
        'orch_certificate_expiry_timestamp_seconds{instance="a",certificate="client-ca",file="/ca.crt"}',
        LATER,
        SOON,
      ),
    ],
  },
  {
    alert: 'OrchClientCertificateExpires',
    fault: 'a client comes with a certificate that ends in two days',
    series: [
      counter(`${CLIENTS},le="172800"}`, 0, 60),
      counter(`${CLIENTS},le="604800"}`, 0, 60),
      counter(`${CLIENTS},le="+Inf"}`, 60, 120),
    ],
  },
  {
    alert: 'OrchEventLoopBlocked',
    fault: 'an api-server is stopped for 0.9 s again and again',
    series: [gauge('nodejs_eventloop_lag_p99_seconds{instance="a"}', 0.02, 0.9)],
  },
  {
    alert: 'OrchCertificateSigningFails',
    fault: 'the table of leases is held, so that no process knows whether it may sign',
    series: [counter('orch_logged_errors_total{instance="a",message="controller: csrsigning"}', 0, 1)],
  },
  {
    alert: 'OrchErrorsRepeat',
    fault: 'each round of compaction fails, and says so',
    series: [counter('orch_logged_errors_total{instance="a",message="compaction of history failed"}', 0, 4)],
  },
  {
    alert: 'OrchProbeFails',
    fault: 'the load balancer is killed',
    series: [gauge('probe_success{job="orch-probes",instance="a"}', 1, 0)],
  },
  {
    alert: 'OrchProbedCertificateExpires',
    fault: 'NATS is given a certificate that ends in ten days',
    series: [gauge('probe_ssl_earliest_cert_expiry{job="orch-probes",instance="a"}', LATER, SOON)],
  },
];
