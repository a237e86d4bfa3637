import type { SharedBound } from '@orch/runtime/work';
import type { BodyLimits } from '../http/read-body.js';
import type { BodyUse } from './body-use.js';
import type { RequestInfo } from './request-info.js';
import type { SlowClients } from './slow-clients.js';
import type { Turns } from './turns.js';

/** Limits that all requests of a process share. */
export interface FlowControl {
  /** Decides which request is executed next. */
  readonly turns: Turns;
  /** Counts the bytes of request bodies in memory, whole or in part. */
  readonly bodies: SharedBound;
  /** Takes seats from requests that wait for their client. */
  readonly slowClients: SlowClients;
  /** Limits on the length of bodies and the time to receive them. */
  readonly bodyLimits: BodyLimits;
  /** Decides how the body of a request is used, if it has one. */
  bodyUse(info: RequestInfo): BodyUse;
}
