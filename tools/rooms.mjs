// Reads the packages of libs/: each package.json says in `orch` what the package is for (`room`), the floor it stands on, and whether it
// may touch node's I/O modules (`io`).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Library packages: { name, folder, floor, io, room, dependencies (names of libraries), exports (paths) }. */
export function readRooms() {
  return readdirSync('libs').map((name) => {
    const {
      orch = {},
      dependencies = {},
      exports,
    } = JSON.parse(readFileSync(join('libs', name, 'package.json'), 'utf8'));
    const libraries = Object.keys(dependencies).filter((dependency) => dependency.startsWith('@orch/'));
    return {
      name,
      folder: join('libs', name),
      ...{ floor: orch.floor, io: orch.io, room: orch.room },
      dependencies: libraries.map((dependency) => dependency.slice('@orch/'.length)),
      exports: Object.keys(exports),
    };
  });
}

const TEST = /\.test\.ts$|\/testing\//;

/** Whether a path is one of a package's sources, not of its tests or of what they share. */
export const isSource = (path) => path.endsWith('.ts') && !TEST.test(`/${path}`);
