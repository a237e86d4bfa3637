import type { ConformancePrograms } from './programs.js';

/** Names of the servers that the suite can be run against, with what tables call them. */
export const SERVERS = { orch: 'orch standalone', reference: 'kube-apiserver 1.27.16' } as const;
export type ServerName = keyof typeof SERVERS;

/** What the part outside the namespaces hands over. */
export interface InsideSettings {
  readonly dir: string;
  readonly server: ServerName;
  readonly programs: ConformancePrograms;
  /** Folder of the suite's images. */
  readonly images: string;
  /** The network namespace of the machine. */
  readonly outside: string;
  readonly groups: readonly string[];
  readonly only: string | undefined;
  readonly atOnce: number;
  readonly minutes: number;
  /** Whether to wait once the cluster is up, and run nothing. */
  readonly hold: boolean;
  /** File that the result is written to. */
  readonly result: string;
}
