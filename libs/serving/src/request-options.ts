/** Options of requests and watches: how large they may be, and how long they may take. */
export const requestOptions = {
  'max-request-bytes': { type: 'bytes', default: 3 << 20, min: 1024, help: 'Largest request body.' },
  'max-request-values': {
    type: 'int',
    default: 50_000,
    min: 1000,
    help: 'Most values (scalars, objects and lists) in a request body, whatever its encoding, and in an object as it is stored, but for its metadata.managedFields: they cost more than bytes do, and other requests wait for them.',
  },
  'max-owned-values': {
    type: 'int',
    default: 20_000,
    min: 0,
    help: 'Most values of an object for which it is noted who set which field when it is created or updated: owners are as many values again. A larger one keeps the owners that it has; who applies to it owns what it says all the same.',
  },
  'request-timeout': {
    type: 'duration',
    default: 60_000,
    min: 1000,
    help: 'After which a request other than a watch is given up.',
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
    help: 'A watch ends at a random time between half of this and this, whatever it asked for, so that its client comes back by way of the load balancer; 0 is off.',
  },
  'watch-buffer-bytes': {
    type: 'bytes',
    default: 48 << 10,
    min: 16 << 10,
    help: 'What the connection of one watch may hold in memory of its own while its client does not read.',
  },
  'tcp-user-timeout': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'A connection is given up when its client has acknowledged nothing for so long though something was sent to it, on Linux; 0 leaves that to the kernel. The same holds for connections to gateways and extension servers, and idle ones of these are probed, so that they end as soon.',
  },
  'gateway-silence-timeout': {
    type: 'duration',
    default: 180_000,
    min: 0,
    help: 'A watch with bookmarks that was handed to a gateway is cut when nothing has come from there for so long, so that its client goes on elsewhere; 0 is off. Keep it well above the --watch-bookmark-interval of the gateways.',
  },
  'http2-max-streams-per-connection': {
    type: 'int',
    default: 1000,
    min: 1,
    max: 100_000,
    help: 'Requests, watches among them, that may be open at once on one connection of HTTP/2.',
  },
  'slow-request-threshold': {
    type: 'duration',
    default: 1000,
    min: 0,
    help: 'A request that takes longer, other than a watch, is logged with its legs; 0 for none.',
  },
  'shutdown-watch-rate': {
    type: 'int',
    default: 250,
    min: 1,
    help: 'Watches that a shutdown ends in a second, so that their clients do not come to the other servers all at once. It takes no longer than half of --shutdown-drain-duration.',
  },
} as const;
