/** An error of OpenSSL: thread, number, library, function, reason, and the place in its source. */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]*):[^:\s]*:\d+:\s*/g;

/**
 * Returns why a connection, or an answer on it, failed, in a form that others may see: only the reason of a TLS error.
 * The rest is specific to this process, such as the address of a thread.
 */
export const connectionMessage = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(OPENSSL, '$1');
