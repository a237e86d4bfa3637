import { fileURLToPath } from 'node:url';
import { CONNECTION_CHECKS, describeClient } from '../describe-client.js';
import { javaProgram } from '../java/maven.js';

/** Version of the client, as in pom.xml. */
const VERSION = '6.9.2';

describeClient({
  name: `io.fabric8:kubernetes-client ${VERSION}`,
  checks: [
    "create, list, update, delete with the administrator's certificate",
    'a watch',
    'errors have their codes and reasons',
  ],
  program: javaProgram({
    folder: fileURLToPath(new URL('.', import.meta.url)),
    libraries: `fabric8-${VERSION}`,
    sources: ['Fabric8Checks.java', 'Fabric8Connections.java'],
  }),
  connects: CONNECTION_CHECKS.map((check) => (check.startsWith('exec: ') ? 'exec: outputs and exit code' : check)),
});
