import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { describeClient } from '../describe-client.js';
import { install, installed, needed } from '../installed.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** As in pom.xml. */
const VERSION = '26.0.1';

let classes: string | undefined;
afterAll(() => {
  if (classes) rmSync(classes, { recursive: true, force: true });
});

describeClient({
  name: `io.kubernetes:client-java ${VERSION}`,
  checks: [
    'create, get, list, update, delete',
    'errors have their codes and reasons',
    'patches: JSON, merge, strategic merge',
    'delete answers with the type that the client expects',
    'a list in pages',
    'a watch goes on from a version',
    'a watch from an expired version is 410',
    'the generic API',
    'an informer goes on when the server was killed',
  ],
  program() {
    const libraries = installed(`java-client-${VERSION}`, (target) => {
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
      copyFileSync(join(FOLDER, 'pom.xml'), join(target, 'pom.xml'));
      install(needed('mvn', 'Maven'), ['--batch-mode', '--quiet', goal, '-DoutputDirectory=.'], target);
    });
    classes ??= mkdtempSync(join(tmpdir(), 'orch-java-'));
    const sources = ['Checks.java', 'Harness.java'].map((name) => join(FOLDER, name));
    install(needed('javac', 'a JDK, 17 or later'), ['-cp', join(libraries, '*'), '-d', classes, ...sources]);
    return {
      command: needed('java', 'a JDK, 17 or later'),
      args: ['-cp', `${classes}:${join(libraries, '*')}`, 'Checks'],
    };
  },
});
