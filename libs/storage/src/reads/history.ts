import type { DatabaseConnection } from '../connections/connection.js';

/**
 * Versions of one history partition. The sequence skips to the next multiple when a partition is closed, so a partition
 * can last as long as wanted at any rate of writes (up to 166,000 a second at a minute each); at that pace versions
 * stay exact in the JavaScript numbers of careless clients for 1,700 years.
 */
export const PARTITION_WIDTH = 10_000_000n;

/** Partitions that exist ahead of the one written to. */
const AHEAD = 2n;

/** Makes sure that versions drawn now and for a while have a partition; cheap when they have. */
export async function ensurePartitions(connection: DatabaseConnection): Promise<void> {
  await connection.query(
    `SELECT create_history_partition(last_value / ${PARTITION_WIDTH} + n, ${PARTITION_WIDTH})
       FROM resource_version, generate_series(0, ${AHEAD}) n
      WHERE NOT EXISTS (SELECT 1 FROM history_partition p WHERE p.number = last_value / ${PARTITION_WIDTH} + n)`,
  );
}
