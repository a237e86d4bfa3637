// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A report of something that happened to an object. Events are kept for a limited time and guide people, not programs. */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** When it happened first. */
  eventTime?: string;
  /** How often it has happened since. Unset: only once. */
  series?: EventSeries;
  /** Who reports, as a qualified name such as "example.com/controller". */
  reportingController?: string;
  /** Which instance of the controller reports. */
  reportingInstance?: string;
  /** What was done or failed, as a word for programs. */
  action?: string;
  /** Why it was done, as a short word for programs; up to 128 characters. */
  reason?: string;
  /** The object that the event is about. */
  regarding?: core_v1.ObjectReference;
  /** A second object that took part. Unset: none. */
  related?: core_v1.ObjectReference;
  /** A sentence for people; up to 1024 bytes. */
  note?: string;
  /** Normal or Warning. */
  type?: string;
  /** Who reports, in the older form of events. */
  deprecatedSource?: core_v1.EventSource;
  /** First occurrence, in the older form of events. */
  deprecatedFirstTimestamp?: string;
  /** Last occurrence, in the older form of events. */
  deprecatedLastTimestamp?: string;
  /** Number of occurrences, in the older form of events. */
  deprecatedCount?: number;
}

/** A collection of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Event[];
}

/** Repeats of an event. */
export interface EventSeries {
  /** How often the event has happened up to the last observation. */
  count?: number;
  /** When it was last observed. */
  lastObservedTime?: string;
}
