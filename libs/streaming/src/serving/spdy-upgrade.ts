import { SPDY } from '../spdy/frames.js';
import { refuseUpgrade, type UpgradeRequest } from './upgrade-request.js';

/**
 * Agrees on the protocol of the streams and switches to SPDY/3.1; undefined where the request was refused.
 * @param known protocols in the order in which they are preferred
 * @param assumed the one of a client that names none
 */
export function acceptSpdy(request: UpgradeRequest, known: readonly string[], assumed: string): string | undefined {
  const offered = request.req.headers['x-stream-protocol-version'];
  const names = [offered ?? []].flat().flatMap((line) => line.split(',').map((name) => name.trim()));
  const chosen = names.length === 0 ? assumed : names.find((name) => known.includes(name));
  if (chosen === undefined) {
    const accepts = known.join(' ');
    const why = `unable to negotiate protocol: client supports [${names.join(' ')}], server accepts [${accepts}]`;
    refuseUpgrade(request, 403, `unable to upgrade: ${why}\n`);
    return undefined;
  }
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${SPDY}`];
  if (names.length > 0) lines.push(`X-Stream-Protocol-Version: ${chosen}`);
  request.socket.setNoDelay(true);
  request.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return chosen;
}
