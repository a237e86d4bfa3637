import { join } from 'node:path';
import { needed } from '../../clients/installed.js';
import { packImage, RootFolder } from '../image.js';

/** Images by what they hold: two releases of a page, whose shell is also that of other workloads, and what keeps namespaces of a pod. */
export const DAY_IMAGES = {
  first: 'docker.io/library/page:1',
  second: 'docker.io/library/page:2',
  pause: 'docker.io/library/pause:debian',
} as const;

/** Programs of the shell of containers. */
const NAMES = ['sh', 'cat', 'httpd', 'kill', 'sleep', 'touch', 'wc'];

/** Makes the images as archives; returns their paths. */
export function buildDayImages(dir: string): readonly string[] {
  const archive = (name: string) => join(dir, `${name}.tar`);
  packImage(
    new RootFolder(dir).program('sleep'),
    DAY_IMAGES.pause,
    { Entrypoint: ['sleep', 'infinity'] },
    archive('pause'),
  );
  for (const [name, text] of [
    ['first', '1'],
    ['second', '2'],
  ] as const) {
    const root = new RootFolder(dir).program(needed('busybox', 'busybox-static'), '/bin/busybox');
    for (const program of NAMES) root.link(`/bin/${program}`, 'busybox');
    const command = ['httpd', '-f', '-p', '8080', '-h', '/www'];
    packImage(root.write('/www/index.html', text), DAY_IMAGES[name], { Cmd: command }, archive(name));
  }
  return ['pause', 'first', 'second'].map(archive);
}
