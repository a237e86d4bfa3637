import type { ProcessStreams, StreamSelection } from '@orch/container-runtime';
import type { SessionTimes } from './command-channels.js';
import type { ForwardedPod } from './forward-port.js';
import { messageCommand } from './message-command.js';
import { messagePorts } from './message-ports.js';
import { spdyCommand } from './spdy-command.js';
import { spdyPorts } from './spdy-ports.js';
import { isSpdyRequest, isWebSocketRequest, refuseUpgrade, type UpgradeRequest } from './upgrade-request.js';

const NO_UPGRADE = 'unable to upgrade: missing upgrade headers in request\n';

/**
 * Joins a client that asks for SPDY/3.1 or a WebSocket with a process that has been started; resolves when both have left
 * each other. The streams of the process are closed whatever happens.
 */
export async function serveCommand(
  request: UpgradeRequest,
  selection: StreamSelection,
  streams: ProcessStreams,
  times: SessionTimes,
): Promise<void> {
  streams.exit.catch(() => undefined);
  try {
    if (isWebSocketRequest(request.req)) await messageCommand(request, selection, streams, times);
    else if (isSpdyRequest(request.req)) await spdyCommand(request, selection, streams, times);
    else refuseUpgrade(request, 400, NO_UPGRADE);
  } finally {
    streams.close();
  }
}

/** Forwards ports of a pod to a client that asks for SPDY/3.1 or a WebSocket. @param ports of a client of WebSocket */
export async function servePorts(
  request: UpgradeRequest,
  pod: ForwardedPod,
  ports: readonly number[],
  times: SessionTimes,
): Promise<void> {
  if (isWebSocketRequest(request.req)) await messagePorts(request, pod, ports, times);
  else if (isSpdyRequest(request.req)) spdyPorts(request, pod, times);
  else refuseUpgrade(request, 400, NO_UPGRADE);
}
