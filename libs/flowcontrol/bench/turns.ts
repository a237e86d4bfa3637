/**
 * What flow control costs a request, in microseconds: finding its flow, taking a seat and leaving it; of five rounds the best.
 *
 *   npx tsc -b && npx tsx libs/flowcontrol/bench/turns.ts
 */
import {
  BOOTSTRAP_LEVELS,
  bootstrapSchemas,
  FlowController,
  flowSchemaOf,
  LoopPace,
  ONE_SEAT,
  priorityLevelOf,
  QueuedRequest,
} from '@orch/flowcontrol';
import { namesOf } from '@orch/machinery';
import { systemClock } from '@orch/runtime';

const ROUNDS = 5;
const REQUESTS = 200_000;

const ignored = () => undefined;
const level = { waits: ignored, executes: ignored, seats: ignored, queueLength: ignored, noRoom: ignored };
const observer = { of: () => level, limits: ignored, adjusted: ignored, forget: ignored };
// No round of the event loop ends meanwhile.
const pace = new LoopPace(Number.POSITIVE_INFINITY);
const flow = new FlowController({ seats: 600, maxWaitMs: 15_000, clock: systemClock, observer, pace });
flow.configure(
  BOOTSTRAP_LEVELS.flatMap(({ name, spec }) => priorityLevelOf(name, name, spec) ?? []),
  bootstrapSchemas(namesOf('kubernetes')).map(({ name, spec }) => flowSchemaOf(name, name, spec)),
);

const request = {
  ...{ verb: 'create', isResourceRequest: true, group: '', resource: 'pods', subresource: '' },
  ...{ namespace: 'team', path: '/api/v1/namespaces/team/pods' },
};

/** @param held seats that others hold meanwhile */
function measure(what: string, name: string, groups: readonly string[], held: number): void {
  const user = { name, groups };
  const enter = () => {
    const found = flow.classify(user, request);
    return flow.enter(found, ONE_SEAT);
  };
  const others = Array.from({ length: held }, enter);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    for (let count = 0; count < REQUESTS; count++) {
      const entry = enter();
      if (entry instanceof QueuedRequest) entry.leave();
    }
    best = Math.min(best, ((performance.now() - began) * 1000) / REQUESTS);
  }
  for (const entry of others) if (entry instanceof QueuedRequest) entry.leave();
  console.log(`${what.padEnd(48)} ${best.toFixed(2)} us`);
}

const known = ['system:authenticated'];
measure('an administrator', 'admin', ['system:masters', ...known], 0);
measure('a user, alone', 'jane', known, 0);
measure(
  'a service account, 40 others being carried out',
  'system:serviceaccount:team:x',
  ['system:serviceaccounts', ...known],
  40,
);
measure('a user, when others wait', 'jane', known, 55);
