import { connect } from 'node:tls';

/**
 * A program that opens watches and does nothing but read them, to be run where the network can be cut:
 * `distant-watchers.ts HOST PORT TOKEN COUNT PATH`. Prints a line when all are open; ends with its input.
 */
const [host = '', port = '', token = '', count = '', path = ''] = process.argv.slice(2);

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    // The certificate does not name an address that was made for this test.
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
    socket.once('secureConnect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`),
    );
    socket.once('data', (head) => {
      if (head.toString().startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(head.toString().slice(0, 300)));
    });
    socket.on('data', () => undefined);
    socket.on('error', reject);
  });
}

await Promise.all(Array.from({ length: Number(count) }, open));
process.stdout.write('open\n');
process.stdin.on('end', () => process.exit()).resume();
