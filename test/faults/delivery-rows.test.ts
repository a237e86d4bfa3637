import { tryRows } from './rows.js';

// Between the commit of a change and the streams of watchers.
tryRows([
  'commit-publish',
  'nats-partitioned',
  'nats-tampered',
  'forged-records',
  'forged-believed',
  'gateway-kills',
  'gateway-vanishes',
  'gateway-vanishes-unnoticed',
  'stalled-watchers',
  'stalled-unbounded',
  'stalled-initial',
  'stalled-initial-unbounded',
  'herd',
  'initial-events-cut',
  'definitions',
  'definitions-unawaited',
]);
