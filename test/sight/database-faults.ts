import { age, counter, type Fault, gauge, once } from './fault-series.js';

const SLI = 'apiserver_request_sli_duration_seconds';
const slow = [
  counter(`${SLI}_count{scope="resource"}`, 600, 600),
  counter(`${SLI}_bucket{scope="resource",le="1"}`, 600, 240),
];
const code = (code: string) => `apiserver_request_total{instance="a",subresource="",code="${code}"}`;
const RELOADED = 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds';

/** Faults of requests, the database and its keys. */
export const DATABASE_FAULTS: readonly Fault[] = [
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
];
