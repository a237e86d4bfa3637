import type { ProcessStreams, StreamSelection } from '@orch/container-runtime';
import { systemClock } from '@orch/runtime';
import { ServerSession } from '../spdy/server-session.js';
import type { ServerStream } from '../spdy/server-stream.js';
import { type CommandChannels, CREATION_MS, type SessionTimes } from './command-channels.js';
import { runCommand } from './run-command.js';
import { acceptSpdy } from './spdy-upgrade.js';
import type { UpgradeRequest } from './upgrade-request.js';

const [V1, V2, V3, V4] = ['channel.k8s.io', 'v2.channel.k8s.io', 'v3.channel.k8s.io', 'v4.channel.k8s.io'];
/** Protocols of commands over SPDY, the best first. */
const PROTOCOLS: readonly string[] = [V4, V3, V2, V1];

/** Joins a client that speaks SPDY/3.1 with a process; resolves when both have left each other. */
export async function spdyCommand(
  request: UpgradeRequest,
  selection: StreamSelection,
  streams: ProcessStreams,
  { idleMs, creationMs = CREATION_MS }: SessionTimes,
): Promise<void> {
  const protocol = acceptSpdy(request, PROTOCOLS, V1);
  if (protocol === undefined) return streams.close();
  const { socket, head } = request;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const opening = new Opening(wantedOf(selection, protocol));
  const session = new ServerSession({ socket, head, idleMs, onStream: (stream) => opening.add(stream) });
  const cancel = systemClock.after(creationMs, () => session.close());
  await Promise.race([opening.complete, closed]);
  cancel();
  if (!socket.destroyed) await runCommand(channelsOf(opening.streams, protocol, session, closed), streams);
}

/** Collects the streams that a client opens. */
class Opening {
  /** Streams by their type. */
  readonly streams = new Map<string, ServerStream>();
  #complete: () => void = () => undefined;
  /** Resolves when all are there. */
  readonly complete: Promise<void> = new Promise((resolve) => {
    this.#complete = resolve;
  });

  constructor(private readonly wanted: ReadonlySet<string>) {}

  add(stream: ServerStream): void {
    const type = stream.headers.get('streamtype') ?? '';
    if (!this.wanted.has(type) || this.streams.has(type)) return void stream.destroy();
    this.streams.set(type, stream);
    if (this.streams.size === this.wanted.size) this.#complete();
  }
}

function wantedOf({ stdin, stdout, stderr, tty }: StreamSelection, protocol: string): ReadonlySet<string> {
  const resizes = tty && (protocol === V3 || protocol === V4);
  const all = { error: true, stdin, stdout, stderr: stderr && !tty, resize: resizes };
  return new Set(Object.entries(all).flatMap(([name, isWanted]) => (isWanted ? [name] : [])));
}

function channelsOf(
  opened: ReadonlyMap<string, ServerStream>,
  protocol: string,
  session: ServerSession,
  closed: Promise<void>,
): CommandChannels {
  const error = opened.get('error') as ServerStream;
  // Clients end their half of these at once; that end has to be read.
  for (const name of ['error', 'stdout', 'stderr']) opened.get(name)?.resume();
  const [stdin, stdout, stderr, resize] = ['stdin', 'stdout', 'stderr', 'resize'].map((name) => opened.get(name));
  return { stdin, stdout, stderr, resize, error, closed, hasStatus: protocol === V4, end: () => session.end() };
}
