import { connectionLimits, connectionOptions } from '@orch/apiserver';
import { defineOptions } from '@orch/runtime';
import type { ConnectionLimits } from '@orch/serving';

/** Those of a server that is told nothing else. */
export const CONNECTION_LIMITS: ConnectionLimits = connectionLimits(defineOptions(connectionOptions).parse([]).values);
