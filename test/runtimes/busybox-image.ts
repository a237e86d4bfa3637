import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packImage, RootFolder } from '../on-cluster/image.js';

/** Names of the images that the tests of runtimes use. */
export const IMAGES = { busybox: 'localhost/busybox:1', pause: 'localhost/pause:1' } as const;

const PROGRAMS = ['sh', 'cat', 'echo', 'env', 'grep', 'head', 'hostname', 'id', 'kill', 'ls', 'nc', 'printf', 'ps'];
const MORE = ['pwd', 'seq', 'sleep', 'stat', 'stty', 'test', 'touch', 'true', 'tty', 'wc', 'yes'];
const USERS = 'root:x:0:0:root:/root:/bin/sh\nnamed:x:1000:1000::/home:/bin/sh\n';

/** Files of an image with busybox and its links. */
function busybox(dir: string): RootFolder {
  const root = new RootFolder(dir).program('busybox', '/bin/busybox').write('/etc/passwd', USERS);
  for (const name of [...PROGRAMS, ...MORE]) root.link(`/bin/${name}`, 'busybox');
  return root.write('/etc/group', 'root:x:0:\nnamed:x:1000:\n');
}

/** Writes archives of an image with busybox, and of one that keeps a sandbox. Returns their paths. */
export function packImages(dir: string): { readonly busybox: string; readonly pause: string } {
  mkdirSync(dir, { recursive: true });
  const paths = { busybox: join(dir, 'busybox.tar'), pause: join(dir, 'pause.tar') };
  const config = { Cmd: ['sh', '-c', 'echo default'], Env: ['FROM_IMAGE=yes'] };
  packImage(busybox(dir), IMAGES.busybox, config, paths.busybox);
  packImage(busybox(dir), IMAGES.pause, { Cmd: ['sleep', '2147483647'] }, paths.pause);
  return paths;
}
