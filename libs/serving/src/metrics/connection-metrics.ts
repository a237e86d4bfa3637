import type { Metrics } from '@orch/runtime';
import { CUT_REASONS, type CutReason } from '../sockets/outgoing-connections.js';

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
