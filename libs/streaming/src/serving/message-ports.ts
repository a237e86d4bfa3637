import type { SessionTimes } from './command-channels.js';
import { type ForwardedPod, forwardPort } from './forward-port.js';
import { boundIdleness } from './idle-bound.js';
import { MAX_MESSAGE, MessageChannels } from './message-channels.js';
import { agreedProtocol } from './message-command.js';
import { refuseUpgrade, type UpgradeRequest } from './upgrade-request.js';

/** Protocols of forwarded ports over WebSocket: whether messages are text. */
const PROTOCOLS: Readonly<Record<string, boolean>> = { 'v4.channel.k8s.io': false, 'v4.base64.channel.k8s.io': true };

/** Ports of a connection, at most: each has two channels, whose number is one byte, and one character of ASCII from 0 as text. */
const [MOST_PORTS, MOST_TEXT_PORTS] = [128, 40];

/** Forwards ports to a client that speaks WebSocket: each port has a channel of data and one of errors. */
export async function messagePorts(
  request: UpgradeRequest,
  pod: ForwardedPod,
  ports: readonly number[],
  { idleMs }: SessionTimes,
): Promise<void> {
  const agreed = agreedProtocol(request, PROTOCOLS, false);
  if (!agreed) return;
  const most = agreed.protocol ? MOST_TEXT_PORTS : MOST_PORTS;
  if (ports.length > most)
    return refuseUpgrade(request, 400, `no more than ${most} ports can be forwarded at a time\n`);
  const { req, socket, head } = request;
  const settings = { req, client: { socket, head }, maxMessage: MAX_MESSAGE, idleMs };
  const channels = MessageChannels.accept(settings, agreed.name, { isText: agreed.protocol, ends: false });
  if (!channels) return;
  boundIdleness(socket, idleMs);
  const all = ports.map(async (port, index) => {
    const [data, error] = [2 * index, 2 * index + 1];
    const name = Buffer.alloc(2);
    name.writeUInt16LE(port);
    channels.send(data, name);
    channels.send(error, name);
    const [input, output] = [channels.input(data), channels.output(data)];
    void channels.left.then(() => output.destroy());
    await forwardPort(pod, port, { input, output, error: channels.output(error) });
  });
  await Promise.all(all);
  channels.end();
}
