import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';

/**
 * An agent that keeps connections but closes one on which the server sends bytes that no request asked for: they would
 * be taken for the response to the next request, which may be another user's, and so would each response after it
 * (net/http of Go closes such connections, too).
 */
export class ExtensionAgent extends Agent {
  constructor(options: AgentOptions) {
    super(options);
    // After it has been put to the idle ones.
    this.on('free', (socket: Duplex) => {
      if (socket.readableLength > 0) socket.destroy();
      socket.on('data', destroyThis);
    });
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off('data', destroyThis);
    super.reuseSocket(socket, request);
  }
}

function destroyThis(this: Duplex): void {
  this.destroy();
}
