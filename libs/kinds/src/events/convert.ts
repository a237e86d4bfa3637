import type { ApiObject } from '@orch/machinery';
import type { VersionConversion } from '../conversions/version-conversion.js';
import { renamed, reversed } from '../values/rename.js';

/** The names of the fields of a core event in the group of their own. */
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

/** An event's fields under their names in the core group. */
export const eventsToCore = (event: ApiObject): ApiObject => renamed(event, TO_CORE);

const underOtherNames = {
  kinds: ['Event'],
  hub: 'v1',
  toHub: eventsToCore,
  fromHub: (event: ApiObject): ApiObject => renamed(event, TO_EVENTS),
};

/** How events are written in the group of their own. */
export const EVENT_VERSIONS: readonly VersionConversion[] = [
  { version: 'events.orch.io/v1', successor: 'events.orch.io/v1', ...underOtherNames },
  { version: 'events.orch.io/v1beta1', successor: 'events.orch.io/v1', ...underOtherNames },
];
