import type { SharedBound } from '@orch/runtime/work';
import type { BodyLimits } from '../http/read-body.js';
import type { BodyUse } from './body-use.js';
import type { RequestInfo } from './request-info.js';
import type { SlowClients } from './slow-clients.js';
import type { Turns } from './turns.js';

/** What requests share. */
export interface FlowControl {
  /** Decides which request is executed next. */
  readonly turns: Turns;
  /** Bytes of request bodies that are here, whole or in part. */
  readonly bodies: SharedBound;
  /** What waits for clients, and holds no seat meanwhile. */
  readonly slowClients: SlowClients;
  /** How long bodies may be, and may take to come. */
  readonly bodyLimits: BodyLimits;
  /** What becomes of the body of a request, if it has one. */
  bodyUse(info: RequestInfo): BodyUse;
}
