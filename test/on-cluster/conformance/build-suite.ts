import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBERNETES, namedAs, releaseSources, writeReleaseModule } from '../../clients/control-plane/release-module.js';
import { findGo } from '../../clients/go-tools.js';
import { install, installed } from '../../clients/installed.js';

/** Programs of the suite, by their packages. */
const PACKAGES = {
  ginkgo: 'github.com/onsi/ginkgo/v2/ginkgo',
  agnhost: `${KUBERNETES}/test/images/agnhost`,
  nnp: `${KUBERNETES}/test/images/nonewprivs`,
} as const;
/** Files that a server in agnhost shows. */
const CERTIFICATE = ['localhost.crt', 'localhost.key'];
/** Imports of clouds, whose modules are large; no case of conformance needs one. */
const CLOUDS = /^.*e2e\/framework\/providers\/(?:aws|azure|openstack|vsphere|kubemark)"\n/gm;

/** Paths of the programs of the suite. */
export interface SuitePrograms {
  /** All end-to-end tests of the release. */
  readonly tests: string;
  /** Runs tests, several at a time. */
  readonly ginkgo: string;
  /** What most pods of the suite run. */
  readonly agnhost: string;
  /** Tells whether it was let gain privileges. */
  readonly nnp: string;
  /** Paths of a certificate and its key, which a server in agnhost shows. */
  readonly certificate: readonly string[];
}

/**
 * The official suite of a release, compiled from its published module without providers of clouds: a quarter of an hour at first,
 * then it is in the user's cache. Throws when Go or the modules cannot be had.
 */
export function buildSuite(release: string): SuitePrograms {
  const folder = installed(`e2e-${release}`, (making) => {
    const published = releaseSources(release);
    // Its package of tests, as one of this module.
    const own = join(published, 'test', 'e2e');
    for (const name of readdirSync(own).filter((each) => each.endsWith('.go'))) {
      const text = readFileSync(join(own, name), 'utf8');
      writeFileSync(join(making, name), text.replaceAll(CLOUDS, ''));
    }
    writeReleaseModule(making, Object.values(PACKAGES), { beside: 'e2e', release });
    const flags = ['-mod=mod', '-p=2', '-buildvcs=false', `-ldflags=${namedAs(release)}`];
    // All without C, so that each package is compiled once.
    const go = (...args: string[]) => install(findGo(), args, making, { CGO_ENABLED: '0' });
    for (const [name, path] of Object.entries(PACKAGES)) go('build', ...flags, '-o', name, path);
    go('test', '-c', '-vet=off', ...flags, '-o', 'e2e.test', '.');
    for (const name of CERTIFICATE) {
      const bytes = readFileSync(join(published, 'test', 'images', 'agnhost', 'porter', name));
      writeFileSync(join(making, name), bytes);
    }
  });
  const of = (name: string) => join(folder, name);
  return {
    tests: of('e2e.test'),
    ginkgo: of('ginkgo'),
    agnhost: of('agnhost'),
    nnp: of('nnp'),
    certificate: CERTIFICATE.map(of),
  };
}
