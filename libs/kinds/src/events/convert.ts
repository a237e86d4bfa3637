import type { ApiObject } from '@orch/machinery';
import { renamed, reversed } from '../values/rename.js';

/** What the fields of a core event are called in the group of their own. */
const TO_EVENTS: ReadonlyMap<string, string> = new Map([
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]);
const TO_CORE = reversed(TO_EVENTS);

/** An event's fields under their names in the events group. */
export const coreToEvents = (event: ApiObject): ApiObject => renamed(event, TO_EVENTS);
/** An event's fields under their names in the core group. */
export const eventsToCore = (event: ApiObject): ApiObject => renamed(event, TO_CORE);
