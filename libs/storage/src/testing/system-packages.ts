import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const INSTALLER = fileURLToPath(new URL('../../../../tools/up/install-packages.sh', import.meta.url));

/** Installs servers from system packages where they are missing. @throws when it cannot */
export async function installPackages(...packages: readonly string[]): Promise<void> {
  await promisify(execFile)('bash', [INSTALLER, ...packages]);
}
