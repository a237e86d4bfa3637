import { type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { Socket } from 'node:net';
import { hostOf, portOf } from './choose-proxy.js';
import { openSocks } from './socks.js';
import { proxyUser, type TunnelSettings } from './tunnel-settings.js';

/**
 * Opens a connection to `host` and `port` (IPv6 without brackets) through a proxy. The error contains the proxy's host
 * and its answer, never its user or password. @throws Error
 */
export async function openTunnel(proxy: URL, host: string, port: number, settings: TunnelSettings): Promise<Socket> {
  const open = proxy.protocol === 'socks5:' ? openSocks : openConnect;
  try {
    return await open(proxy, host, port, settings);
  } catch (error) {
    throw new Error(`proxy ${proxy.protocol}//${proxy.host}: ${(error as Error).message}`);
  }
}

function openConnect(proxy: URL, host: string, port: number, settings: TunnelSettings): Promise<Socket> {
  const { peer, rejectUnauthorized, timeoutMs } = settings;
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const known = proxyUser(proxy);
  const authorization = known && Buffer.from(`${known.user}:${known.password}`).toString('base64');
  const request = proxy.protocol === 'https:' ? requestSecurely : requestPlainly;
  return new Promise((resolve, reject) => {
    const refused = ({ statusCode, statusMessage }: IncomingMessage) =>
      reject(new Error(`it answered ${statusCode} ${statusMessage} to CONNECT ${place}`));
    const asked = request({
      method: 'CONNECT',
      host: hostOf(proxy),
      port: portOf(proxy),
      path: place,
      headers: { host: place, ...(authorization && { 'proxy-authorization': `Basic ${authorization}` }) },
      agent: false,
      rejectUnauthorized,
      ...(proxy.protocol === 'https:' && { ...peer }),
    });
    const timer = setTimeout(() => asked.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    asked.on('connect', (response, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      if (response.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        refused(response);
      }
    });
    asked.on('close', () => clearTimeout(timer)).on('connect', () => clearTimeout(timer));
    asked.on('error', reject).end();
  });
}
