import {
  type ChangeBus,
  inProcessBus,
  Keyring,
  type MessageRefusal,
  natsSettings,
  openJetStreamBus,
  placesOf,
} from '@orch/feed';
import { ownersApart } from '@orch/resources';
import type { Logger } from '@orch/runtime';
import type { ServingStore, TypeId } from '@orch/storage';
import type { BackendOptions } from './options.js';

/** Dependencies of a bus. */
export interface BusSettings {
  /** Logger for errors of the bus and its keys. */
  readonly logger: Logger;
  /** Store that holds the keys with which announcements are signed. */
  readonly store: Pick<ServingStore, 'installation' | 'announcementKeys' | 'onAnnouncementKeysForgotten'>;
  /**
   * Counts announcements: how long they take (ms), how many are skipped, why messages are rejected, and how many were
   * read after a loss of the connection.
   */
  readonly observer: {
    taken(ms: number): void;
    dropped(changes: number): void;
    refused(reason: MessageRefusal): void;
    reread(messages: number): void;
  };
  /** Returns the name of a type, as `deployments.apps`; empty before it is known. */
  readonly nameOf: (type: TypeId) => string;
  readonly readTraces: boolean;
  /** Whether this process makes the stream where there is none. */
  readonly makesStream: boolean;
}

/**
 * NATS when servers are named, else a bus within the process.
 * @throws RangeError for options of NATS that do not go together
 */
export async function busOf(options: BackendOptions, settings: BusSettings): Promise<ChangeBus> {
  const { observer, store, logger, nameOf, readTraces, makesStream } = settings;
  if (options.natsUrl.length === 0) return inProcessBus({ onTaken: (ms) => observer.taken(ms) });
  const { clusterId } = store.installation;
  const keyring = new Keyring({
    installation: clusterId,
    load: () => store.announcementKeys(options.natsKeyRotation),
    onError: (error) => logger.error('keys of announcements could not be read', error),
  });
  const stopListening = store.onAnnouncementKeysForgotten(() => void keyring.refresh());
  const apart = new Set(options.natsOmitBodies.map(nameInMetrics));
  const bus = await openJetStreamBus({
    ...natsSettings(options),
    keyring,
    bodies: ownersApart,
    ...placesOf(options.natsSubjectPrefix, clusterId),
    makesStream,
    omitsBodies: (type) => omits(apart, nameOf(type)),
    readTraces,
    onTaken: (ms) => observer.taken(ms),
    onDropped: (changes) => observer.dropped(changes),
    onRefused: (reason) => observer.refused(reason),
    onReread: (messages) => observer.reread(messages),
    onError: (error) => logger.v(1)?.info('change bus', { error: String(error) }),
  });
  return {
    publish: (changes) => bus.publish(changes),
    subscribe: (type, listener) => bus.subscribe(type, listener),
    onConnected: (listener) => bus.onConnected(listener),
    healthy: () => bus.healthy(),
    close() {
      stopListening();
      keyring.close();
      return bus.close();
    },
  };
}

/** `deployments.apps` for `apps/deployments`. */
function nameInMetrics(type: string): string {
  const [resource = '', group] = type.split('/').reverse();
  return group === undefined ? resource : `${resource}.${group}`;
}

/** Whether a type's changes are announced without bodies; a type whose name is not known yet may be one of these. */
const omits = (apart: ReadonlySet<string>, name: string): boolean => apart.size > 0 && (name === '' || apart.has(name));
