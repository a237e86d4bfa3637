import { connect } from 'node:tls';

/**
 * A program that opens watches, to be run where the network can be cut: `distant-watchers.ts HOST PORT TOKEN GROUPS`.
 * GROUPS is a JSON array of {@link DistantGroup}. Prints a line when all are open; ends with its input.
 */
export interface DistantGroup {
  readonly count: number;
  readonly path: string;
  /** Reads nothing but the head of the answer. */
  readonly stalls?: boolean;
}

const [host = '', port = '', token = '', groups = '[]'] = process.argv.slice(2);

function open({ path, stalls = false }: DistantGroup): Promise<void> {
  return new Promise((resolve, reject) => {
    // The certificate does not name an address that was made for this test.
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
    socket.once('secureConnect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`),
    );
    socket.once('data', (head) => {
      if (head.toString().startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(head.toString().slice(0, 300)));
      if (stalls) socket.pause();
      else socket.resume();
    });
    socket.on('error', reject);
  });
}

const each = (JSON.parse(groups) as DistantGroup[]).flatMap((group) => Array<DistantGroup>(group.count).fill(group));
await Promise.all(each.map(open));
process.stdout.write('open\n');
process.stdin.on('end', () => process.exit()).resume();
