import { connect } from 'node:net';
import type { Clock } from '@orch/runtime';
import { dialFailure, hostAndPort, type ProbeLimits, type ProbeOutcome } from './probe-outcome.js';

/** Opens a TCP connection, and closes it at once. */
export function probeTcp(host: string, port: number, { timeoutMs }: ProbeLimits, clock: Clock): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (outcome: ProbeOutcome) => {
      cancel();
      socket.destroy();
      resolve(outcome);
    };
    const address = hostAndPort(host, port);
    const cancel = clock.after(timeoutMs, () => end({ result: 'failure', output: `dial tcp ${address}: i/o timeout` }));
    socket.on('connect', () => end({ result: 'success', output: '' }));
    socket.on('error', (error) => end({ result: 'failure', output: dialFailure(error, address) }));
  });
}
