import type { ServerPlace } from '../connection.js';
import { parseProxyUrl } from '../proxy/choose-proxy.js';
import type { EntryReader } from './entry-reader.js';

/** Reads a `cluster`, checked as in client-go's tools/clientcmd. Throws {@link KubeconfigError}. */
export async function readCluster(entry: EntryReader): Promise<ServerPlace> {
  const [tlsServerName, proxyUrl] = [entry.text('tls-server-name'), entry.text('proxy-url')];
  const [insecure, disableCompression] = [entry.flag('insecure-skip-tls-verify'), entry.flag('disable-compression')];
  const [data, file] = [entry.data('certificate-authority'), await entry.fileText('certificate-authority')];
  if (data !== undefined && file !== undefined) {
    throw entry.error('certificate-authority-data and certificate-authority are both specified');
  }
  const ca = data ?? file;
  if (ca !== undefined && insecure) {
    throw entry.error('a certificate authority with insecure-skip-tls-verify is not allowed');
  }
  if (proxyUrl) checkProxy(entry, proxyUrl);
  return {
    server: serverUrl(entry),
    ...(ca !== undefined && { ca }),
    ...(tlsServerName && { tlsServerName }),
    ...(insecure && { insecureSkipTlsVerify: true }),
    ...(proxyUrl && { proxyUrl }),
    ...(disableCompression && { disableCompression }),
  };
}

/**
 * A host and port alone mean a plain-text connection, as in client-go. Parts that client-go silently ignores are an
 * error: a password would be sent to nobody, and a query would change nothing.
 */
function serverUrl(entry: EntryReader): string {
  const server = entry.text('server');
  if (server === undefined) throw entry.error('the cluster has no server');
  const text = server.includes('://') ? server : `http://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw entry.error('the cluster has no usable server URL');
  }
  if (url.username || url.password) throw entry.error('the server URL has a user: who asks is told by the user entry');
  if (/[?#]/.test(text)) throw entry.error('the server URL has a query or a fragment, which is never sent');
  return text;
}

function checkProxy(entry: EntryReader, proxyUrl: string): void {
  try {
    parseProxyUrl(proxyUrl);
  } catch (error) {
    throw entry.error(`invalid proxy-url: ${(error as Error).message}`);
  }
}
