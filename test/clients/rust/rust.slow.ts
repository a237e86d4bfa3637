import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONNECTION_CHECKS, describeClient } from '../describe-client.js';
import { install, installed, needed } from '../installed.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** Version of the client, as in Cargo.toml. */
const VERSION = '5.0.0';

describeClient({
  name: `kube ${VERSION} for Rust`,
  checks: [
    'create, get, list, update, delete',
    'errors have their codes and reasons',
    'patches: merge, strategic merge, status, scale',
    'delete answers with the type that the client expects',
    'a list in pages',
    'a watch goes on from a version',
    'a watch from an expired version is 410',
    'a reflector goes on when the server was killed',
  ],
  program() {
    // The compiled libraries are kept; the program is compiled from what it is now.
    const folder = installed(`rust-kube-${VERSION}`, () => {});
    for (const part of ['Cargo.toml', 'src']) cpSync(join(FOLDER, part), join(folder, part), { recursive: true });
    install(needed('cargo', 'Rust 1.89 or later'), ['build', '--quiet'], folder);
    return { command: join(folder, 'target', 'debug', 'rust-checks'), args: [] };
  },
  connects: CONNECTION_CHECKS,
});
