import { connect } from 'node:net';
import { RuntimeError } from '../runtime-error.js';
import type { PortEndpoint, PortForwardRequest } from '../streams.js';

/** Connects ports of a sandbox of the double with those of this machine's loopback address. */
export function forwardPorts({ ports }: PortForwardRequest): PortEndpoint {
  const connections = {
    connect: (port: number) =>
      new Promise<ReturnType<typeof connect>>((resolve, reject) => {
        if (ports.length > 0 && !ports.includes(port))
          return reject(new RuntimeError('InvalidArgument', `port ${port} was not requested`));
        const socket = connect(port, '127.0.0.1', () => resolve(socket));
        socket.once('error', (cause) => reject(new RuntimeError('Unavailable', cause.message, { cause })));
      }),
  };
  return { kind: 'connections', connections };
}
