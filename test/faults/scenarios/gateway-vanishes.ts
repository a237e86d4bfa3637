import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { Random } from '../random.js';
import { Crowd, type Member } from '../stage/crowd.js';
import {
  openUpgraded,
  QUIET_WATCH,
  register,
  startQuietExtension,
  UNANSWERED_GET,
  UNANSWERED_WATCH,
} from '../stage/distant-extension.js';
import type { Mutation } from '../stage/mutant.js';
import { NetworkNamespace } from '../stage/network-namespace.js';
import type { Stage } from '../stage/stage.js';
import type { ClusterUse } from '../stage/with-cluster.js';
import { rest } from '../traffic/context.js';
import { controlled } from './controlled.js';
import { type Scenario, type ScenarioSettings, scaled, staged } from './scenario.js';

const RELAY = fileURLToPath(new URL('../stage/distant-relay.ts', import.meta.url));
const GATEWAY_PORT = 7001;
const EXTENSION_PORT = 7002;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PULSE_MS = 250;
/** Beside the limit: looks are taken three times in it, and the machine is busy. */
const SLACK_MS = 15_000;

const about = {
  name: 'gateway-vanishes',
  fault:
    'the machine of a gateway and of an extension server vanishes (packets are dropped) under watches that were handed on, proxied requests and joined connections, idle ones and others on which something is sent',
  pass: 'each ends within --tcp-user-timeout, no other does; clients go on elsewhere; nothing that is asked afterwards hangs',
};

const networkOf = ({ seed }: ScenarioSettings) => new Random(seed).between(1, 250);
const peerTimeoutMs = (settings: ScenarioSettings) => scaled(settings, 30_000, 12_000);

const vanishing = (mutations: readonly Mutation[] = []): Scenario =>
  staged(
    about,
    async (settings): Promise<ClusterUse> => ({
      ...{ apiServers: 1, gateways: 1, mutations },
      serverArgs: ['--bind-address=0.0.0.0', `--tcp-user-timeout=${peerTimeoutMs(settings)}ms`],
      apiServerArgs: [`--gateway-url=https://10.213.${networkOf(settings)}.2:${GATEWAY_PORT}`],
      // The certificate names the address that the gateway seems to be at.
      prepare: async (dir) => {
        const extraHosts = [`10.213.${networkOf(settings)}.2`];
        const names = namesOf('kubernetes');
        await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names, extraHosts });
        return async () => undefined;
      },
    }),
    async (stage, settings) => {
      const network = NetworkNamespace.create(networkOf(settings));
      const extension = await startQuietExtension();
      const { port: gatewayPort } = new URL(stage.cluster.gatewayUrls[0] ?? '');
      const relays = [`${GATEWAY_PORT}:${gatewayPort}`, `${EXTENSION_PORT}:${extension.port}`];
      const relay = network.spawn(process.execPath, ['--import', 'tsx', RELAY, network.host, ...relays]);
      const crowd = new Crowd(stage, stage.cluster.apiServerUrls[0]);
      try {
        await Promise.race([once(relay.stdout ?? relay, 'data'), once(relay, 'exit')]);
        await register(stage, network.distantHost, EXTENSION_PORT, extension.caBundle);
        await pullUnder(stage, settings, network, crowd);
      } finally {
        relay.kill('SIGKILL');
        crowd.close();
        network.remove();
        await extension.stop();
      }
    },
  );

export const gatewayVanishes = vanishing();

export const gatewayVanishesUnnoticed = controlled(
  {
    ...vanishing([
      {
        module: 'libs/serving/dist/sockets/outgoing-connections.js',
        part: 'socket.setKeepAlive(true, this.#idleMs);',
        by: '',
      },
    ]),
    name: 'gateway-vanishes-unnoticed',
    fault: 'the same with connections that nobody probes: the negative control',
    pass: 'R.recovery says so',
  },
  'R.recovery',
);

async function pullUnder(stage: Stage, settings: ScenarioSettings, network: NetworkNamespace, crowd: Crowd) {
  const limitMs = peerTimeoutMs(settings) + SLACK_MS;
  const count = scaled(settings, 100, 8);
  const watch = `${CONFIG_MAPS}?watch=1&timeoutSeconds=3600&allowWatchBookmarks=true`;
  const handed = await crowd.gather(count, watch);
  const proxied = await crowd.gather(scaled(settings, 20, 2), QUIET_WATCH);
  const upgraded = await Promise.all([1, 2].map(() => openUpgraded(stage, stage.cluster.apiServerUrls[0] ?? '')));
  const over = new AbortController();
  const answers = [UNANSWERED_WATCH, UNANSWERED_GET].map((path) => crowd.join(path).catch(() => undefined));
  try {
    network.pull();
    void chatter(upgraded[0], over.signal);
    // They take turns at the address that goes and at the one that stays.
    await stage.recovers('watches that were handed on have ended', limitMs, () => ended(handed) === count / 2);
    // Where nothing is noticed, the others would only take their time.
    if (stage.violations.length > 0) return;
    await stage.recovers(
      'watches of the extension server have ended',
      limitMs,
      () => ended(proxied) === proxied.length,
    );
    await stage.recovers('joined connections have ended', limitMs, () => upgraded.every(({ destroyed }) => destroyed));
    await stage.recovers('what was never answered has an answer', limitMs, async () => {
      return (await Promise.race([Promise.all(answers), rest(0, stage.signal)])) !== undefined;
    });
    await goOn(stage, crowd, handed, watch);
  } finally {
    over.abort();
    for (const member of [...handed, ...proxied]) member.close();
    for (const socket of upgraded) socket.destroy();
  }
}

const ended = (members: readonly Member[]): number => members.filter(({ ended: isEnded }) => isEnded).length;

/** Something is under way all the while: then the kernel sends no probes. */
async function chatter(socket: Socket | undefined, over: AbortSignal): Promise<void> {
  while (!over.aborted && socket?.destroyed === false) {
    socket.write('x');
    await rest(PULSE_MS, over);
  }
}

/** Whoever was cut watches again and has what is written now, as those do who were not. */
async function goOn(stage: Stage, crowd: Crowd, handed: readonly Member[], watch: string): Promise<void> {
  const before = ended(handed);
  const again = await crowd.gather(before, watch);
  stage.must(
    'R.answer',
    again.every(({ status }) => status === 200),
    'a watch that began again was refused',
  );
  const made = await stage.api().post(CONFIG_MAPS, { metadata: { name: 'after' } });
  stage.must('R.answer', made.status === 201, `a write was answered with ${made.status}`);
  const { resourceVersion } = made.json().metadata;
  const open = [...handed.filter(({ ended: isEnded }) => !isEnded), ...again];
  await stage.recovers('all have the change', 10_000, () =>
    open.every(({ versions }) => versions.includes(resourceVersion)),
  );
  stage.must('R.stream', ended(handed) === before && ended(again) === 0, 'another watch was ended as well');
  for (const member of again) member.close();
}
