import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';

/**
 * Keeps connections as any agent, but closes one on which the other server says something that nobody asked: it would be taken for
 * the answer to the next request, which may be another user's, and so would each answer after it (net/http of Go closes them, too).
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
