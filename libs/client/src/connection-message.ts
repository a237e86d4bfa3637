/** As OpenSSL tells of an error: thread, number, library, function, reason, and the place in its source. */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]*):[^:\s]*:\d+:\s*/g;

/**
 * Why there is no connection, or no answer on it, as others may be told: of an error of TLS the reason alone. The rest tells of this
 * process, the address of a thread among it, and is another in each.
 */
export const connectionMessage = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(OPENSSL, '$1');
