import { describeClient } from '../describe-client.js';
import { goProgram } from '../go-program.js';

const program = goProgram('controller-runtime', 'release');

describeClient({
  name: 'controller-runtime 0.15.3',
  checks: [
    'create, get, list, update, delete',
    'errors have their codes and reasons',
    'patches: JSON, merge, strategic merge',
    'status and metadata are patched apart',
    'typed objects are applied, and their status',
    'unstructured objects are applied, and their status',
    'a list in pages',
    'unstructured objects and partial metadata',
    'a cache that is filled with a token of a service account',
    'a reconciler with cache, finalizer and leader election, over a kill of the server',
    'another manager takes over the lease',
    'a defaulter and a validator of a custom kind, over a kill of the server',
    'answers were binary',
  ],
  program: () => ({ command: program(), args: [] }),
});
