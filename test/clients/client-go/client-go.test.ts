import { describeClient } from '../describe-client.js';
import { goProgram } from '../go-program.js';

const NAME = 'client-go 0.37.2';
const CHECKS = [
  'JSON: verbs, errors, watch',
  'protobuf: verbs, errors, watch',
  'patches: JSON, merge, strategic merge',
  'a list in pages',
  'discovery and mapping of kinds',
  'OpenAPI in its binary forms',
  'a dynamic client that prefers CBOR goes on in JSON',
  'a token of a service account, and its end',
  'an informer over a kill of the server',
];
const HTTP2 = 'all went over HTTP/2';
const PREFER_CBOR = { KUBE_FEATURE_ClientsAllowCBOR: 'true', KUBE_FEATURE_ClientsPreferCBOR: 'true' };

const program = goProgram('client-go', 'current');
const inMode = (mode: string) => () => ({ command: program(), args: [mode], env: PREFER_CBOR });

describeClient({
  name: `${NAME}, lists in place of streams`,
  checks: [...CHECKS, HTTP2],
  program: inMode('lists'),
  servers: ['standalone'],
});
describeClient({
  name: `${NAME}, behind a load balancer`,
  checks: CHECKS,
  program: inMode('proxied'),
  servers: ['two tiers'],
});
describeClient({
  name: `${NAME}, initial state in streams`,
  checks: [...CHECKS, HTTP2],
  program: inMode('streams'),
  servers: ['standalone'],
  serverArgs: ['--feature-gates=WatchList=true'],
});
describeClient({
  name: `${NAME}, server-side apply`,
  checks: [
    ...['json', 'protobuf'].flatMap((encoding) => [
      `ConfigMaps, ${encoding}`,
      `Deployments, status and scale, ${encoding}`,
      `Services and Pods, ${encoding}`,
    ]),
    'without types',
  ],
  program: () => ({ command: program(), args: ['apply'] }),
  servers: ['standalone'],
});
