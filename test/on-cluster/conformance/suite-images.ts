import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { needed } from '../../clients/installed.js';
import { type ImageConfig, RootFolder, storeImage, storeLayer } from '../image.js';
import type { SuitePrograms } from './build-suite.js';
import { namesFile } from './registry.js';

/** Users of images: a case runs as one that its image names. */
const PASSWD =
  'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\nuser-defined-in-image:x:1000:1000::/:/bin/sh\n';
const GROUP =
  'root:x:0:\nnogroup:x:65534:\nuser-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n';
/** A first process that takes leave of what ends, and ends when it is told to: a process that handles no signal gets none there. */
const PAUSE = "#!/bin/sh\ntrap 'exit 0' TERM INT\nsleep 2147483647 &\nwait\n";
/** Servers of a page: what cases ask of Apache and nginx, busybox can do. */
const PAGES = {
  httpd: { program: 'httpd-foreground', folder: '/usr/local/apache2/htdocs', page: 'It works!', args: [] },
  nginx: { program: 'nginx', folder: '/usr/share/nginx/html', page: 'Welcome to nginx!', args: ['-g', 'daemon off;'] },
} as const;

/** Programs of which images are made. */
export interface ImagePrograms {
  readonly suite: SuitePrograms;
  readonly etcd: string;
  readonly sampleApiserver: string;
  readonly coredns: string;
}

/** Makes the images that cases of conformance name, as a folder that a registry serves. */
export function buildSuiteImages(dir: string, programs: ImagePrograms): string {
  const folder = join(dir, 'images');
  mkdirSync(join(folder, 'blobs'), { recursive: true });
  new ImageWriter(folder).writeAll(programs);
  return folder;
}

class ImageWriter {
  readonly #blobs: string;
  /** Digests of manifests by names. */
  readonly #names: Record<string, string> = {};

  constructor(private readonly folder: string) {
    this.#blobs = join(folder, 'blobs');
  }

  writeAll({ suite, etcd, sampleApiserver, coredns }: ImagePrograms): void {
    this.#write(
      { pause: { Entrypoint: ['/pause'], User: '65535:65535' } },
      this.#shell().write('/pause', PAUSE, 0o755),
    );
    this.#write(
      { 'e2e-test-images/busybox': { Cmd: ['sh'] }, 'e2e-test-images/nonroot': { Cmd: ['id', '-u'], User: '1234' } },
      this.#shell(),
    );
    this.#writeAgnhost(suite, coredns);
    for (const [name, { program, folder, page, args }] of Object.entries(PAGES)) {
      const root = this.#shell().write(`/usr/local/bin/${program}`, serverOf(folder), 0o755);
      this.#write(
        { [`e2e-test-images/${name}`]: { Cmd: [program, ...args] } },
        root.write(`${folder}/index.html`, `<html><body><h1>${page}</h1></body></html>\n`),
      );
    }
    const nnp = this.#shell().program(suite.nnp, '/usr/local/bin/nnp').mode('/usr/local/bin/nnp', 0o4755);
    this.#write({ 'e2e-test-images/nonewprivs': { Cmd: ['nnp'] } }, nnp);
    this.#write({ etcd: { Cmd: ['etcd'] } }, this.#shell().program(etcd, '/usr/local/bin/etcd'));
    this.#write(
      { 'e2e-test-images/sample-apiserver': { Entrypoint: ['/sample-apiserver'] } },
      this.#shell().program(sampleApiserver, '/sample-apiserver'),
    );
    writeFileSync(namesFile(this.folder), JSON.stringify(this.#names));
  }

  /** Images of the suite's own program, one of which has another text than the others. */
  #writeAgnhost(suite: SuitePrograms, coredns: string): void {
    const server: ImageConfig = { Entrypoint: ['/agnhost'], Cmd: ['test-webserver'] };
    const named = (image: string) =>
      this.#agnhost(suite).program(coredns, '/coredns').write('/data.json', `{\n"image": "${image}"\n}\n`);
    this.#write(
      {
        'e2e-test-images/agnhost': { Entrypoint: ['/agnhost'], Cmd: ['pause'] },
        'e2e-test-images/jessie-dnsutils': { Cmd: ['sleep', '3600'] },
        // What later releases call it.
        'e2e-test-images/glibc-dns-testing': { Cmd: ['sleep', '3600'] },
        'e2e-test-images/nautilus': server,
      },
      named('nautilus.jpg'),
    );
    this.#write({ 'e2e-test-images/kitten': server }, named('kitten.jpg'));
  }

  #agnhost({ agnhost, certificate }: SuitePrograms): RootFolder {
    const root = this.#folder();
    // The nsenter of busybox runs its own programs in place of the node's, its wget has no time-outs, its dd goes through caches.
    for (const name of ['curl', 'dd', 'dig', 'nslookup', 'getent', 'wget', 'nsenter']) root.program(name);
    // Its shell runs the programs above, where the one of busybox would take its own.
    withShell(root.program('nc.openbsd', '/bin/nc'), 'bash');
    for (const file of certificate) root.copy(file, `/${basename(file)}`).mode(`/${basename(file)}`, 0o644);
    mkdirSync(join(root.path, 'uploads'));
    return root.mode('/uploads', 0o777).program(agnhost, '/agnhost').link('/agnhost-2', 'agnhost');
  }

  #folder = (): RootFolder => new RootFolder(this.folder).write('/etc/passwd', PASSWD).write('/etc/group', GROUP);

  #shell = (): RootFolder => withShell(this.#folder());

  /** Writes images of the same files. */
  #write(images: Readonly<Record<string, ImageConfig>>, root: RootFolder): void {
    const layer = storeLayer(root, this.#blobs);
    for (const [name, config] of Object.entries(images))
      this.#names[name] = storeImage(layer, config, this.#blobs).digest;
  }
}

/**
 * Adds the usual programs, and two shells: `/bin/sh` is by default busybox, whose messages a case compares; `sh` of the path is
 * bash, as the one of busybox loses variables whose names are no identifiers, which a case has containers print.
 */
function withShell(root: RootFolder, sh: 'bash' | 'busybox' = 'busybox'): RootFolder {
  const busybox = needed('busybox', 'busybox-static');
  root.program('bash', '/bin/bash').link('/usr/local/bin/sh', '/bin/bash').program(busybox, '/bin/busybox');
  root.link('/bin/sh', sh);
  for (const name of execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n'))
    if (!['/bin', '/usr/bin'].some((folder) => existsSync(join(root.path, folder, name))))
      root.link(`/bin/${name}`, 'busybox');
  return root;
}

/** A script that serves a folder until it is told to end. */
const serverOf = (folder: string): string =>
  `#!/bin/sh\ntrap 'kill $server; exit 0' TERM INT WINCH QUIT\nbusybox httpd -f -p 80 -h ${folder} &\nserver=$!\nwait $server\n`;
