import type { Socket } from 'node:net';
import { Api, type ApiSettings } from '../support/api.js';
import { startNodeAgent } from '../support/node-agent.js';
import { PodLog } from '../support/pod-log.js';
import { podSessions } from '../support/pod-sessions.js';

/** Options of servers that speak newer subprotocols of WebSockets in place of agents. */
export const TRANSLATING = ['--feature-gates=TranslateStreamCloseWebsocketRequests=true,PortForwardWebsockets=true'];

/** A pod, made up, that clients connect to. */
export interface ConnectedPod {
  /** Its log. */
  readonly log: PodLog;
  /** Connections that are open at its agent. */
  readonly connections: ReadonlySet<Socket>;
  /** Ends its agent. */
  stop(): Promise<void>;
}

/** Name of the pod and of its node: they sort behind what programs look at first in a list. */
const NAME = 'sessions';
const PODS = '/api/v1/namespaces/default/pods';

/** What nodes say that they have, and programs count on. */
const CAPACITY = { cpu: '4', memory: '8Gi', pods: '110' };

/**
 * Makes the pod `sessions` in the namespace `default`, of whose log there is one line.
 * @param port that its container declares
 */
export async function makeConnectedPod(server: ApiSettings, port = 80): Promise<ConnectedPod> {
  const api = new Api(server);
  const agent = await startNodeAgent();
  const log = new PodLog('first\n');
  agent.answer = log.answer;
  agent.upgrade = podSessions(log);
  try {
    await agent.join(api, NAME);
    const node = { status: { capacity: CAPACITY, allocatable: CAPACITY } };
    await api.patch(`/api/v1/nodes/${NAME}/status`, 'merge', node);
    await makePod(api, port);
  } catch (error) {
    await agent.stop();
    throw error;
  } finally {
    api.close();
  }
  return { log, connections: agent.connections, stop: () => agent.stop() };
}

async function makePod(api: Api, containerPort: number): Promise<void> {
  const containers = [{ name: 'c', image: 'i', ports: [{ containerPort }] }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: NAME }, spec: { containers, nodeName: NAME } };
  const { status: code, text } = await api.post(PODS, pod);
  if (code !== 201) throw new Error(text);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await api.patch(`${PODS}/${NAME}/status`, 'merge', { status });
}
