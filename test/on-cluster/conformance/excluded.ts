/** Cases that pass on no server here, by how their names begin, and why. */
const EXCLUDED: Readonly<Record<string, string>> = {
  '[sig-architecture] Conformance Tests should have at least two untainted nodes': 'there is one node',
  '[sig-apps] Daemon set [Serial] should rollback without unnecessary restarts': 'there is one node',
};

/** Why a case cannot pass on a cluster of one node; undefined for all others. */
export const excluded = (name: string): string | undefined =>
  Object.entries(EXCLUDED).find(([beginning]) => name.startsWith(beginning))?.[1];
