import { defineOptions } from '@orch/runtime';
import { connectionLimits, connectionOptions } from '../server/connection-options.js';
import type { ConnectionLimits } from '../serving/sockets/connection-limits.js';

/** Those of a server that is told nothing else. */
export const CONNECTION_LIMITS: ConnectionLimits = connectionLimits(defineOptions(connectionOptions).parse([]).values);
