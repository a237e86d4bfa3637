import { connect, createServer, type Socket } from 'node:net';

/**
 * A program that passes connections on, to be run where the network can be cut, so that a server seems to be on another
 * machine: `distant-relay.ts HOST PORT:TARGET...` listens on each PORT and passes on to TARGET of HOST. Prints a line when
 * all listen; ends with its input.
 */
const [host = '', ...pairs] = process.argv.slice(2);

function join(from: Socket, to: Socket): void {
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
  from.pipe(to);
}

await Promise.all(
  pairs.map((pair) => {
    const [port, target] = pair.split(':').map(Number);
    const server = createServer((near) => {
      const far = connect({ host, port: target ?? 0 });
      join(near, far);
      join(far, near);
    });
    return new Promise<void>((resolve) => server.listen(port, '0.0.0.0', resolve));
  }),
);
process.stdout.write('listening\n');
process.stdin.on('end', () => process.exit()).resume();
