/** Options of requests and watches: how large they may be, and how long they may take. */
export const requestOptions = {
  'max-request-bytes': {
    type: 'bytes',
    default: 3 << 20,
    min: 1024,
    help: 'Maximum size of a request body. A larger one gets 413.',
  },
  'max-request-values': {
    type: 'int',
    default: 50_000,
    min: 1000,
    help: 'Maximum number of values (scalars, objects and lists) in a request body of any encoding, and in an object as it is stored, without its metadata.managedFields. Values cost more than bytes, and other requests wait for them.',
  },
  'max-owned-values': {
    type: 'int',
    default: 20_000,
    min: 0,
    help: 'Maximum number of values of an object for which creates and updates record field ownership, which adds as many values. A larger object keeps the owners that it has; server-side apply records ownership regardless.',
  },
  'request-timeout': {
    type: 'duration',
    default: 60_000,
    min: 1000,
    help: 'Timeout of requests other than watches.',
  },
  'min-request-timeout': {
    type: 'int',
    default: 1800,
    min: 1,
    unit: 'seconds',
    help: 'A watch without timeoutSeconds ends at a random time between this and twice this.',
  },
  'max-watch-age': {
    type: 'duration',
    default: 0,
    min: 0,
    help: 'Maximum age of a watch. Each watch ends at a random time between half of this and this, regardless of its timeoutSeconds, so that its client reconnects through the load balancer. 0 disables this.',
  },
  'watch-buffer-bytes': {
    type: 'bytes',
    default: 48 << 10,
    min: 16 << 10,
    help: 'Memory of one watch for data that its client has not read.',
  },
  'tcp-user-timeout': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'A connection is closed when its client has not acknowledged sent data for this long (Linux only); 0 leaves that to the kernel. The same holds for connections to gateways and extension servers; idle ones of these are probed, so that a vanished peer is noticed as soon.',
  },
  'gateway-silence-timeout': {
    type: 'duration',
    default: 180_000,
    min: 0,
    help: "A watch with bookmarks that is proxied to a gateway is cut when the gateway has sent nothing for this long, so that its client reconnects elsewhere. Keep it well above the gateways' --watch-bookmark-interval. 0 disables this.",
  },
  'http2-max-streams-per-connection': {
    type: 'int',
    default: 1000,
    min: 1,
    max: 100_000,
    help: 'Maximum number of concurrent requests, including watches, on one HTTP/2 connection.',
  },
  'slow-request-threshold': {
    type: 'duration',
    default: 1000,
    min: 0,
    help: 'Requests other than watches that take longer are logged with the time of each phase. 0 disables this.',
  },
  'shutdown-watch-rate': {
    type: 'int',
    default: 250,
    min: 1,
    help: 'Number of watches that a shutdown ends per second, so that their clients do not all reconnect at once. Ending them takes at most half of --shutdown-drain-duration.',
  },
} as const;
