import type { OptionValues } from '@orch/runtime';

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** Options of the connections to node agents. */
export const agentOptions = {
  'kubelet-preferred-address-types': {
    type: 'list',
    default: ADDRESS_TYPES,
    choices: ADDRESS_TYPES,
    help: 'Types of node addresses, in the order in which they are tried: the agent of a node is reached at the first that the node has.',
  },
  'kubelet-timeout': {
    type: 'duration',
    default: 5_000,
    min: 0,
    help: 'How long connecting to the agent of a node, or to a pod, may take, the TLS handshake included; 0 is no bound.',
  },
  'stream-idle-timeout': {
    type: 'duration',
    default: 4 * 3_600_000,
    min: 0,
    max: 24 * 24 * 3_600_000,
    help: 'How long exec, attach or port-forward may be silent, in both directions, until the connection is cut; and how long a client may take to read the rest of a connection that the other side has ended. Pings of SPDY are no silence; those of WebSockets are, as agents do not get them. 0 is no bound.',
  },
  'max-stream-message-bytes': {
    type: 'bytes',
    // The client library of Java sends 15 MiB in one message; the reference server takes 32 MiB.
    default: 16 << 20,
    min: 64 << 10,
    max: 32 << 20,
    help: 'Maximum size of a message of a client on a WebSocket that is translated for agents (feature gates TranslateStreamCloseWebsocketRequests and PortForwardWebsockets). So much of each connection may be in memory. A longer message closes the connection with 1009; one in more fragments than one for each 4 KiB, or more pieces than one for each 512 bytes, with 1008.',
  },
} as const;

/** Values of {@link agentOptions}. */
export type AgentOptions = OptionValues<typeof agentOptions>;
