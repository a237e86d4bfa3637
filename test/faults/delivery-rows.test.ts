import { tryRows } from './rows.js';

// Between the commit of a change and the streams of watchers.
tryRows([
  'commit-publish',
  'nats-partitioned',
  'nats-tampered',
  'forged-records',
  'forged-believed',
  'initial-events-cut',
]);
