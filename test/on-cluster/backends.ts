import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ORCHCTL, waitUntil } from '../../tools/up/index.js';
import { sql } from '../faults/stage/sql.js';
import type { Cluster } from './cluster.js';
import { IMAGES } from './images.js';
import { NODES } from './place.js';

const NAMESPACE = 'backends';
const HOST = `database.${NAMESPACE}.svc.cluster.local`;
const LABELS = { app: 'database' };
const STARTED_MS = 180_000;

/** URL of a login of the database. */
export const urlOf = (user: string, password: string): string => `postgres://${user}:${password}@${HOST}:5432/orch`;

const SUPERUSER = urlOf('postgres', 'super');

/** The database that an operator brings: PostgreSQL in a pod apart from the chart. */
export class Database {
  /** Starts it, and makes the roles of an installation, each with this password. */
  static async start(cluster: Cluster, password: string): Promise<Database> {
    await cluster.kubectl.ok(['create', 'namespace', NAMESPACE]);
    await cluster.apply(service, deployment);
    const database = new Database();
    await cluster.settle(NAMESPACE);
    await waitUntil('the database answers', STARTED_MS, () =>
      database.run('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    await database.orchctl(['storage', 'roles', '--external-login']);
    for (const role of ['orch_migrator', 'orch_api_server', 'orch_gateway'])
      await database.run(`ALTER ROLE ${role} PASSWORD '${password}'`);
    return database;
  }

  /** Runs a statement as the superuser. */
  run = (text: string) => sql<Record<string, string>>(SUPERUSER, text);

  /** Runs `orchctl` on the database, as the superuser. */
  async orchctl(args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH, ORCH_POSTGRES_URL: SUPERUSER };
    return (await promisify(execFile)(process.execPath, [ORCHCTL, ...args], { env })).stdout;
  }
}

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'database', namespace: NAMESPACE },
  spec: { selector: LABELS, ports: [{ port: 5432 }] },
};

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'database', namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: LABELS },
    strategy: { type: 'Recreate' },
    template: {
      metadata: { labels: LABELS },
      spec: {
        containers: [
          {
            name: 'postgres',
            image: IMAGES.postgres,
            args: ['-c', 'max_connections=300'],
            env: Object.entries({
              POSTGRES_USER: 'postgres',
              POSTGRES_PASSWORD: 'super',
              POSTGRES_DB: 'orch',
              PGDATA: '/data/postgres',
            }).map(([name, value]) => ({ name, value })),
            readinessProbe: { exec: { command: ['pg_isready', '-h', '127.0.0.1'] }, periodSeconds: 2 },
            volumeMounts: [
              { name: 'data', mountPath: '/data' },
              { name: 'run', mountPath: '/var/run/postgresql' },
            ],
          },
        ],
        securityContext: { runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'run', emptyDir: {} },
        ],
      },
    },
  },
};

/** So many volumes for whoever claims one, which every node can mount: they lie on the machine of all. */
export async function makeVolumes(cluster: Cluster, count: number): Promise<void> {
  const volumes = Array.from({ length: count }, (_, index) => {
    const path = join(cluster.dir, 'volumes', String(index));
    mkdirSync(path, { recursive: true });
    const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: NODES.map(({ name }) => name) };
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `volume-${index}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        local: { path },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
      },
    };
  });
  await cluster.apply(...volumes);
}
