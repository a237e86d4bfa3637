import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findGo } from './go-tools.js';

/**
 * The folder of a published Go module in the user's module cache, fetched and checked against the sum database where it is not
 * there: manifests lie in it beside the code. Throws when Go or the module cannot be had.
 *
 * @param version as `v1.1.0`
 * @param sum what it must come to, of a module that the sum database need not know
 */
export function goModule(module: string, version: string, sum?: string): string {
  const env = sum === undefined ? process.env : { ...process.env, GONOSUMDB: module };
  // Outside of any module, so that nobody's requirements choose the version.
  const options = { cwd: tmpdir(), encoding: 'utf8', env } as const;
  const answer = execFileSync(findGo(), ['mod', 'download', '-json', `${module}@${version}`], options);
  const { Dir, Sum } = JSON.parse(answer) as { readonly Dir: string; readonly Sum: string };
  if (sum !== undefined && Sum !== sum) throw new Error(`${module}@${version} comes to ${Sum}, not to ${sum}`);
  return Dir;
}
