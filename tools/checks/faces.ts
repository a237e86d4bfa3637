import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Faces } from './imports.js';

/** Reads what the packages export from their package.json: sources by the name that they are imported by. */
export function readFaces(): Faces {
  const packages = ['libs', 'services'].flatMap((root) => readdirSync(root).map((name) => join(root, name)));
  const found = packages
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .flatMap((folder) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return Object.entries<{ source?: string }>(exports).flatMap(([path, { source }]) =>
        source === undefined ? [] : [[`${name}${path.slice(1)}`, join(folder, source)] as const],
      );
    });
  return new Map(found);
}
