import type { Duplex, Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PortConnections } from '@orch/container-runtime';

/** The pod whose ports are forwarded. */
export interface ForwardedPod {
  /** Its connections. */
  readonly connections: PortConnections;
  /** Namespace and name, as `name_namespace`. */
  readonly fullName: string;
  /** Its uid. */
  readonly uid: string;
}

/** A client's channels of one connection to a port. */
interface PortChannels {
  /** Bytes that the client sends. */
  readonly input: Readable;
  /** Bytes that the client gets. */
  readonly output: Writable;
  /** Why the connection has failed. */
  readonly error: Writable;
}

/** Connects a client to a port until either side has ended. A failure is told on the channel of errors. */
export async function forwardPort(pod: ForwardedPod, port: number, channels: PortChannels): Promise<void> {
  const { input, output, error } = channels;
  for (const each of [input, output, error]) each.on('error', () => undefined);
  try {
    await pass(await pod.connections.connect(port), input, output);
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    error.write(`error forwarding port ${port} to pod ${pod.fullName}, uid ${pod.uid}: ${why}`);
  }
  error.end();
  output.end();
}

async function pass(connection: Duplex, input: Readable, output: Writable): Promise<void> {
  const left = (): void => void connection.destroy();
  connection.on('error', () => undefined);
  input.once('close', () => {
    if (!input.readableEnded) left();
  });
  output.once('close', left);
  if (input.destroyed && !input.readableEnded) return left();
  input.pipe(connection);
  connection.pipe(output, { end: false });
  await finished(connection, { writable: false });
}
