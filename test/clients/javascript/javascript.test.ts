import { fileURLToPath } from 'node:url';
import { CONNECTION_CHECKS, describeClient } from '../describe-client.js';
import { JAVASCRIPT_CLIENT, javascriptClient } from './javascript-client.js';

const PROGRAM = fileURLToPath(new URL('./checks.mjs', import.meta.url));

describeClient({
  name: `@kubernetes/client-node ${JAVASCRIPT_CLIENT}`,
  checks: [
    'create, get, list, update, delete',
    'errors have their codes and reasons',
    'patches: JSON, merge, strategic merge',
    'delete answers with the type that the client expects',
    'a list in pages',
    'objects of any kind, found by discovery',
    'reads what says little: pods',
    'reads what says little: nodes, and what is free of them',
    'reads what says little: policies of networks and of disruptions',
    'reads what says little: workloads and autoscalers',
    'reads what says little: events, services and claims',
    'a watch goes on from a version',
    'a watch from an expired version is 410',
    'an informer goes on when the server was killed',
  ],
  program: () => ({ command: process.execPath, args: [PROGRAM], env: { NODE_CLIENT: javascriptClient() } }),
  connects: CONNECTION_CHECKS,
});
