import { fileURLToPath } from 'node:url';
import { CONNECTION_CHECKS, describeClient } from '../describe-client.js';
import { javaProgram } from './maven.js';

/** Version of the client, as in pom.xml. */
const VERSION = '26.0.1';

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
  program: javaProgram({
    folder: fileURLToPath(new URL('.', import.meta.url)),
    libraries: `java-client-${VERSION}`,
    sources: ['Checks.java', 'Connections.java', 'Harness.java'],
  }),
  connects: CONNECTION_CHECKS,
});
