import { RELEASE } from '@orch/runtime';
import { API_RELEASE } from '@orch/schema';

/** `orch version`: prints the version of this program, and the release whose API it serves. */
export async function main(): Promise<number> {
  process.stdout.write(`orch ${RELEASE} (API of release ${API_RELEASE}, Node ${process.version})\n`);
  return 0;
}
