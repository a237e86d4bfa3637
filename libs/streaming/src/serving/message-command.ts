import type { ProcessStreams, StreamSelection } from '@orch/container-runtime';
import { StatusError } from '@orch/machinery';
import { checkWebSocketKey, offeredProtocols } from '../messages/handshake.js';
import type { CommandChannels, SessionTimes } from './command-channels.js';
import { boundIdleness } from './idle-bound.js';
import { MAX_MESSAGE, MessageChannels } from './message-channels.js';
import { runCommand } from './run-command.js';
import { refuseUpgrade, type UpgradeRequest } from './upgrade-request.js';

const [STDIN, STDOUT, STDERR, ERROR, RESIZE] = [0, 1, 2, 3, 4] as const;

interface Protocol {
  readonly isText: boolean;
  readonly hasStatus: boolean;
  readonly ends: boolean;
}

/** Protocols of commands over WebSocket. */
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  'v5.channel.k8s.io': { isText: false, hasStatus: true, ends: true },
  'v4.channel.k8s.io': { isText: false, hasStatus: true, ends: false },
  'v4.base64.channel.k8s.io': { isText: true, hasStatus: true, ends: false },
  'channel.k8s.io': { isText: false, hasStatus: false, ends: false },
  'base64.channel.k8s.io': { isText: true, hasStatus: false, ends: false },
};
const NONE: Protocol = { isText: false, hasStatus: false, ends: false };

/** Joins a client that speaks WebSocket with a process; resolves when both have left each other. */
export async function messageCommand(
  request: UpgradeRequest,
  selection: StreamSelection,
  streams: ProcessStreams,
  { idleMs }: SessionTimes,
): Promise<void> {
  const agreed = agreedProtocol(request, PROTOCOLS, NONE);
  const { req, socket, head } = request;
  const settings = { req, client: { socket, head }, maxMessage: MAX_MESSAGE, idleMs };
  const channels = agreed && MessageChannels.accept(settings, agreed.name, agreed.protocol);
  if (!channels) return streams.close();
  boundIdleness(socket, idleMs);
  const command = channelsOf(channels, selection, agreed.protocol);
  const greeted = selection.stdout ? STDOUT : selection.stderr && !selection.tty ? STDERR : ERROR;
  channels.send(greeted, Buffer.alloc(0));
  await runCommand(command, streams);
}

function channelsOf(
  channels: MessageChannels,
  { stdin, stdout, stderr, tty }: StreamSelection,
  { hasStatus }: Protocol,
): CommandChannels {
  return {
    ...(stdin && { stdin: channels.input(STDIN) }),
    ...(stdout && { stdout: channels.output(STDOUT) }),
    ...(stderr && !tty && { stderr: channels.output(STDERR) }),
    ...(tty && { resize: channels.input(RESIZE) }),
    error: channels.output(ERROR),
    hasStatus,
    closed: channels.left,
    end: () => channels.end(),
  };
}

/** Returns the first protocol that a client offers and that is known; undefined where the request was refused. */
export function agreedProtocol<P>(
  request: UpgradeRequest,
  known: Readonly<Record<string, P>>,
  none: P,
): { readonly name: string | undefined; readonly protocol: P } | undefined {
  try {
    checkWebSocketKey(request.req);
  } catch (error) {
    refuseUpgrade(request, 400, `${StatusError.from(error).message}\n`);
    return undefined;
  }
  const offered = offeredProtocols(request.req);
  if (offered.length === 0) return { name: undefined, protocol: none };
  const name = offered.find((each) => Object.hasOwn(known, each));
  if (name !== undefined) return { name, protocol: known[name] as P };
  const supported = Object.keys(known).join(' ');
  refuseUpgrade(
    request,
    403,
    `requested protocol(s) are not supported: [${offered.join(' ')}]; supports [${supported}]\n`,
  );
  return undefined;
}
