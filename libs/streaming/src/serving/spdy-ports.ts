import { systemClock } from '@orch/runtime';
import { ServerSession } from '../spdy/server-session.js';
import type { ServerStream } from '../spdy/server-stream.js';
import { CREATION_MS, type SessionTimes } from './command-channels.js';
import { type ForwardedPod, forwardPort } from './forward-port.js';
import { acceptSpdy } from './spdy-upgrade.js';
import type { UpgradeRequest } from './upgrade-request.js';

/** The protocol of forwarded ports. */
const PROTOCOL = 'portforward.k8s.io';
const MOST_PORT = 65_535;

/** Streams of one connection to a port, as they come. */
interface Pair {
  data?: ServerStream;
  error?: ServerStream;
  /** Stops waiting for the other one. */
  readonly cancel: () => void;
}

/** Forwards ports to a client that speaks SPDY/3.1: each connection is a pair of streams. */
export function spdyPorts(request: UpgradeRequest, pod: ForwardedPod, times: SessionTimes): void {
  if (acceptSpdy(request, [PROTOCOL], PROTOCOL) === undefined) return;
  const { socket, head } = request;
  const pairs = new PortPairs(pod, times.creationMs ?? CREATION_MS);
  socket.once('close', () => pairs.close());
  new ServerSession({ socket, head, idleMs: times.idleMs, onStream: (stream) => pairs.add(stream) });
}

/** Finds the streams that belong together. */
class PortPairs {
  readonly #pairs = new Map<string, Pair>();

  constructor(
    private readonly pod: ForwardedPod,
    private readonly creationMs: number,
  ) {}

  add(stream: ServerStream): void {
    const { headers } = stream;
    const type = headers.get('streamtype');
    const id = headers.get('requestid') ?? '';
    const port = Number(headers.get('port'));
    const isPort = Number.isInteger(port) && port > 0 && port <= MOST_PORT;
    if ((type !== 'data' && type !== 'error') || id === '' || !isPort) return void stream.destroy();
    const pair = this.#pairs.get(id) ?? this.#begin(id);
    if (pair[type]) return void stream.destroy();
    pair[type] = stream;
    const { data, error } = pair;
    if (!data || !error) return;
    this.#pairs.delete(id);
    pair.cancel();
    error.resume();
    void forwardPort(this.pod, Number(data.headers.get('port')), { input: data, output: data, error });
  }

  close(): void {
    for (const { cancel } of this.#pairs.values()) cancel();
    this.#pairs.clear();
  }

  #begin(id: string): Pair {
    const pair: Pair = { cancel: systemClock.after(this.creationMs, () => this.#expire(id)) };
    this.#pairs.set(id, pair);
    return pair;
  }

  #expire(id: string): void {
    const { data, error } = this.#pairs.get(id) ?? {};
    this.#pairs.delete(id);
    error?.end(`(request=${id}) timed out waiting for streams`);
    data?.destroy();
  }
}
