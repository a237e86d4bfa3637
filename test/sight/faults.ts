import { DATABASE_FAULTS } from './database-faults.js';
import type { Fault } from './fault-series.js';
import { PROCESS_FAULTS } from './process-faults.js';
import { TRAFFIC_FAULTS } from './traffic-faults.js';

/** For each alert of `deploy/prometheus/rules` the fault that it is for, in the order of the manual. */
export const FAULTS: readonly Fault[] = [...DATABASE_FAULTS, ...TRAFFIC_FAULTS, ...PROCESS_FAULTS];
