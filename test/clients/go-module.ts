import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findGo } from './go-tools.js';

/**
 * The folder of a published Go module in the user's module cache, fetched and checked against the sum database where it is not
 * there: manifests lie in it beside the code. Throws when Go or the module cannot be had.
 *
 * @param version as `v1.1.0`
 */
export function goModule(module: string, version: string): string {
  // Outside of any module, so that nobody's requirements choose the version.
  const options = { cwd: tmpdir(), encoding: 'utf8' } as const;
  const answer = execFileSync(findGo(), ['mod', 'download', '-json', `${module}@${version}`], options);
  return (JSON.parse(answer) as { readonly Dir: string }).Dir;
}
