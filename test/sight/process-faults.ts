import { counter, type Fault, gauge, gone } from './fault-series.js';

const CLIENTS = 'apiserver_client_certificate_expiration_seconds_bucket{instance="a"';
const [SOON, LATER] = [10 * 86_400, 300 * 86_400];

/** Faults of processes, their logs and certificates. */
export const PROCESS_FAULTS: readonly Fault[] = [
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
