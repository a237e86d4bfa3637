import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

it('is what the generator makes of proto/ now', async () => {
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', 'tools/generate/main.ts', '--check'], {
    cwd: ROOT,
  });
  await expect(run).resolves.toMatchObject({ stderr: '' });
});
