import type { DatabaseConnection } from '../connections/connection.js';

/** A key that records of changes are authenticated with between servers. */
export interface AnnouncementKey {
  /** In 32 bits; never used again for another key. */
  readonly id: number;
  /** 32 bytes. */
  readonly secret: Buffer;
}

/** The keys of an installation, as of a moment. */
export interface AnnouncementKeys {
  /** The key that this process signs with. */
  readonly signing: AnnouncementKey;
  /** All keys that a valid signature may come from: the signing key, replaced ones, and the one that will sign next. */
  readonly accepted: readonly AnnouncementKey[];
}

const READ = `
SELECT id, encode(secret, 'hex'), signs_from <= clock_timestamp(),
       $1::bigint > 0 AND max(signs_from) OVER () < clock_timestamp() - $1 * interval '1 millisecond',
       count(*) FILTER (WHERE signs_from < clock_timestamp() - $2::bigint * interval '1 millisecond') OVER () > 1
  FROM announcement_key ORDER BY signs_from, id`;

/** Milliseconds. */
const OVERLAP = 600_000;

/** Policy for creating and replacing keys. */
interface KeyUpkeep {
  /** Milliseconds after which the newest is replaced; 0 never. */
  readonly rotation: number;
  /** Milliseconds for which a key is known before it signs, and accepted after it was replaced; default ten minutes. */
  readonly overlap?: number;
  /** Whether this process makes them; if not, it waits for another to. */
  readonly renews: boolean;
}

/** Reads the keys; makes one when there is none, or when the newest is too old. */
export async function announcementKeys(
  connection: DatabaseConnection,
  { rotation, overlap = OVERLAP, renews }: KeyUpkeep,
): Promise<AnnouncementKeys> {
  let rows = await connection.query(READ, [rotation, overlap]);
  if (renews && (rows.length === 0 || rows.some(([, , , isDue, hasSpent]) => isDue === 't' || hasSpent === 't'))) {
    await connection.query('SELECT renew_announcement_keys($1, $2)', [rotation, overlap]);
    rows = await connection.query(READ, [rotation, overlap]);
  }
  const keys = rows.map(([id, secret, signs]) => ({
    key: { id: Number(id), secret: Buffer.from(secret ?? '', 'hex') },
    signs: signs === 't',
  }));
  // If the clock of the database was set back, none may have begun to sign.
  const signing = (keys.findLast(({ signs }) => signs) ?? keys[0])?.key;
  if (signing === undefined) throw new Error('the database holds no key for announcements');
  return { signing, accepted: keys.map(({ key }) => key) };
}
