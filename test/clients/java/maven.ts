import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { ClientProgram } from '../client-program.js';
import { install, installed, needed } from '../installed.js';

const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

export interface JavaProgram {
  /** Holds pom.xml and the sources. */
  readonly folder: string;
  /** Tells everything that the libraries depend on, for the name of the folder that they are kept in. */
  readonly libraries: string;
  /** Files; the first one is the class that is run. */
  readonly sources: readonly string[];
}

/** A function that fetches the libraries of pom.xml, compiles the sources, and tells how to run them. */
export function javaProgram({ folder, libraries, sources }: JavaProgram): () => ClientProgram {
  let classes: string | undefined;
  afterAll(() => {
    if (classes) rmSync(classes, { recursive: true, force: true });
  });
  return () => {
    const jars = installed(libraries, (target) => {
      copyFileSync(join(folder, 'pom.xml'), join(target, 'pom.xml'));
      install(needed('mvn', 'Maven'), ['--batch-mode', '--quiet', COPY, '-DoutputDirectory=.'], target);
    });
    classes ??= mkdtempSync(join(tmpdir(), 'orch-java-'));
    const files = sources.map((name) => join(folder, name));
    install(needed('javac', 'a JDK, 17 or later'), ['-cp', join(jars, '*'), '-d', classes, ...files]);
    const [main = ''] = sources;
    return {
      command: needed('java', 'a JDK, 17 or later'),
      args: ['-cp', `${classes}:${join(jars, '*')}`, main.replace(/\.java$/, '')],
    };
  };
}
