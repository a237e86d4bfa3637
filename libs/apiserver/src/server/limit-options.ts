import type { OptionValues } from '@orch/runtime';
import type { Features } from '@orch/schema';
import type { FlowLimits } from '../chain/flow-control.js';

/** Bounds on what requests may take of a process, so that none of them can take it from the others. 0 is none. */
export const limitOptions = {
  'max-requests-inflight': {
    type: 'int',
    default: 400,
    min: 0,
    help: 'Requests that only read and are carried out at a time, watches left out; more wait. 0 is no bound.',
  },
  'max-mutating-requests-inflight': {
    type: 'int',
    default: 200,
    min: 0,
    help: 'Requests that change something and are carried out at a time; more wait. 0 is no bound.',
  },
  'max-requests-inflight-per-user': {
    type: 'int',
    default: 100,
    min: 0,
    help: 'Requests of either kind that are carried out at a time for one user; more wait. 0 is no bound.',
  },
  'max-requests-waiting': {
    type: 'int',
    default: 2000,
    min: 0,
    help: 'Requests of either kind that wait to be carried out; more are answered with 429, those of the user with most of them first.',
  },
  'max-request-wait': {
    type: 'duration',
    default: 15_000,
    min: 0,
    help: 'How long a request waits to be carried out before it is answered with 429.',
  },
  'max-watches': {
    type: 'int',
    default: 50_000,
    min: 0,
    help: 'Watches that are open at a time; more are answered with 429. 0 is no bound.',
  },
  'max-watches-per-user': {
    type: 'int',
    default: 10_000,
    min: 0,
    help: 'Watches of one user that are open at a time; more are answered with 429. 0 is no bound.',
  },
  'max-waiting-body-bytes': {
    type: 'bytes',
    default: 128 << 20,
    min: 0,
    help: 'Bytes of request bodies that are in memory, whole or in part; beyond them requests are answered with 429. 0 is no bound.',
  },
  'max-waiting-body-bytes-per-user': {
    type: 'bytes',
    default: 32 << 20,
    min: 0,
    help: 'The same of the requests of one user.',
  },
  'max-impersonation-values': {
    type: 'int',
    default: 256,
    min: 1,
    help: 'Users, groups, uids and extra values that the headers of one request may ask to be impersonated; each is authorized for itself.',
  },
} as const;

/** The bounds that requests are held to. Without fair turns nobody waits: what finds no room is refused at once. */
export function flowLimits(serving: OptionValues<typeof limitOptions>, features: Features): FlowLimits {
  const perUser = serving.maxRequestsInflightPerUser;
  return {
    inflight: {
      mutating: { inAll: serving.maxMutatingRequestsInflight, perUser },
      readOnly: { inAll: serving.maxRequestsInflight, perUser },
    },
    maxWaiting: features.enabled('APIPriorityAndFairness') ? serving.maxRequestsWaiting : 0,
    maxWaitMs: serving.maxRequestWait,
    bodies: { inAll: serving.maxWaitingBodyBytes, perUser: serving.maxWaitingBodyBytesPerUser },
  };
}
