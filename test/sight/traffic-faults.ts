import { age, counter, type Fault, gauge, once } from './fault-series.js';

/** Faults of the servers' outgoing requests, of the change feed, and of watches. */
export const TRAFFIC_FAULTS: readonly Fault[] = [
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
];
