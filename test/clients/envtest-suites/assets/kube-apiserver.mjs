// Serves with `orch standalone`, at the flags of kube-apiserver that envtest gives.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const orch = fileURLToPath(new URL('../../../../services/orch/bin/orch.js', import.meta.url));

/** Flags that mean something else there, or nothing here; all others mean the same. */
const TRANSLATED = {
  'etcd-servers': async (url) => {
    const folder = await (await fetch(new URL('/data-dir', url))).text();
    return [`--data-dir=${join(folder, 'orch')}`];
  },
  // The pair that lies there is to be served.
  'cert-dir': (folder) => [
    `--tls-cert-file=${join(folder, 'apiserver.crt')}`,
    `--tls-private-key-file=${join(folder, 'apiserver.key')}`,
  ],
};

const flags = process.argv.slice(2).map(async (argument) => {
  const [, name, value] = /^--([^=]+)=?(.*)$/s.exec(argument) ?? [];
  return TRANSLATED[name]?.(value) ?? [argument];
});
// No loop that kube-apiserver has not, and the names that it gives.
const own = ['--naming=kubernetes', '--controllers=-namespace'];
process.argv = [process.argv[0], orch, 'standalone', ...own, ...(await Promise.all(flags)).flat()];
await import(orch);
