import type { AnnouncementKeys } from '../maintenance/announcement-keys.js';
import type { Compactor } from '../maintenance/compactor.js';
import type { Expirer } from '../maintenance/expirer.js';
import type { LeaseState, ProcessLease } from '../maintenance/lease.js';
import type { Installation, Migration } from '../maintenance/migrate.js';
import type { LeastProgress, Presence } from '../maintenance/presence.js';
import type { SideSchema } from '../maintenance/side-schema.js';
import type { Uncharged } from '../writes/uncharged.js';
import type { TypeId } from './key.js';
import type { PoolStats } from './observer.js';
import type { Store } from './store.js';
import type { TypeName } from './type-name.js';

/** The store of a serving process: `Store` plus maintenance (compaction, expiry, leases). */
export interface ServingStore extends Store {
  /** Identity of the installation that the database belongs to. */
  readonly installation: Installation;
  /** Compactors of the histories; start them in processes that should take part. */
  readonly compactors: readonly Compactor[];
  /** All registered types. @throws StoreUnavailableError */
  types(): Promise<readonly TypeName[]>;
  /**
   * Creates an expirer, which deletes the objects of a type that have not been written for this many milliseconds;
   * start it, and stop it before closing.
   */
  expirer(type: TypeId, timeToLive: number): Expirer;
  /** Creates a lease, which one process at a time holds, for this many milliseconds each time it takes it. */
  lease(name: string, duration: number): ProcessLease;
  /** States of the leases that this process has tried to take. */
  leases(): readonly LeaseState[];
  /** Names of leases with a prefix that any process holds now. @throws StoreUnavailableError */
  heldLeases(prefix: string): Promise<readonly string[]>;
  /** Opens another schema in the same database, for data that are no objects; close it before the store. */
  besideSchema(schema: string, migrations: readonly Migration[]): SideSchema;
  /** Creates the record that publishes this process's progress; each update is valid for this many milliseconds. */
  presence(duration: number): Presence;
  /** Returns the progress that all live processes have reached, if there are any. @throws StoreUnavailableError */
  leastProgress(): Promise<LeastProgress | undefined>;
  /**
   * Returns the keys that authenticate announcements. A key is made when there is none, and when the newest is older
   * than `rotation` milliseconds (0 is never); a replaced one is accepted for ten minutes more.
   * @throws StoreUnavailableError
   */
  announcementKeys(rotation: number): Promise<AnnouncementKeys>;
  /** Called when the database has lost them, as history was rewound, or went on after a silence: there are new ones. */
  onAnnouncementKeysForgotten(listener: () => void): () => void;
  /** Namespaces in which servers of the previous release did not charge accounts. @throws StoreUnavailableError */
  uncharged(): Promise<Uncharged>;
  /** Call it once accounts there were counted again. @throws StoreUnavailableError */
  forgetUncharged(upTo: bigint): Promise<void>;
  /** Statistics of connections, by their purpose. */
  pools(): [name: string, PoolStats][];
  /**
   * Announces the end of the process: from now until the store is closed, a database that does not answer for two
   * seconds is given up, and everything that waits for it fails at once.
   */
  prepareClose(): void;
}
