import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Issuer, issueClientCertificate } from '@orch/authentication';
import { type Connection, kubeconfigText, writeKubeconfig } from '@orch/client';
import { defineOptions, type OptionValues, readCommandLine, systemClock } from '@orch/runtime';
import { type CommandIO, ownVariables } from '../command-io.js';
import { clusterOptions } from './cluster-options.js';

const HOUR_MS = 3_600_000;

const definitions = {
  ...clusterOptions,
  user: { type: 'string', help: 'Name of the user: the common name of the certificate.' },
  group: {
    type: 'list',
    default: [],
    help: 'Groups of the user: the organizations of the certificate; may be repeated.',
  },
  token: { type: 'string', help: 'Bearer token in place of a certificate; give it as ORCH_TOKEN.' },
  'ca-cert-file': {
    type: 'string',
    help: 'Authority that signs the certificate, one that servers have as --client-ca-file. Default: ca.crt in --cert-dir.',
  },
  'ca-key-file': { type: 'string', help: 'Private key of --ca-cert-file. Default: ca.key in --cert-dir.' },
  'validity-period': {
    type: 'duration',
    default: 8760 * HOUR_MS,
    min: 600_000,
    help: 'Lifetime of the certificate; it never outlives its authority.',
  },
  namespace: { type: 'string', help: 'Namespace of the context.' },
  'cluster-name': { type: 'string', default: 'default', help: 'Name of the cluster, its user and its context.' },
  out: { type: 'string', help: 'File to write, readable by its owner alone. Default: standard output.' },
} as const;

type Values = OptionValues<typeof definitions>;

/** Returns what does not fit together. */
function problems({ user, token, group, caCertFile, caKeyFile }: Values): string[] {
  if ((user === undefined) === (token === undefined)) return ['give one of --user and --token'];
  if (user === '') return ['--user: must not be empty'];
  if (token !== undefined && group.length > 0) return ['--group: a token has the groups that the server knows it by'];
  return (caCertFile === undefined) === (caKeyFile === undefined) ? [] : ['give --ca-cert-file and --ca-key-file'];
}

const options = defineOptions(definitions, problems);

/**
 * `orchctl kubeconfig`: prints a kubeconfig for a user, with a certificate that it signs or a token. Resolves with the
 * exit code.
 */
export async function kubeconfig(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl kubeconfig --server=URL --user=NAME [--group=NAME…] [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  const { values } = line;
  try {
    const connection = await connectionOf(values);
    if (values.out === undefined) stdout.write(kubeconfigText(connection, values.clusterName));
    else await writeKubeconfig(values.out, connection, values.clusterName);
    return 0;
  } catch (error) {
    stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** @throws Error for files that cannot be read, and for an authority that cannot sign */
async function connectionOf(values: Values): Promise<Connection> {
  const { server, serverCaFile, certDir, namespace, token } = values;
  const ca = await readFile(serverCaFile ?? join(certDir, 'ca.crt'), 'utf8');
  const user = token === undefined ? await signed(values) : { token };
  return { server, ca, ...user, ...(namespace !== undefined && { namespace }) };
}

async function signed({ certDir, caCertFile, caKeyFile, user = '', group, validityPeriod }: Values): Promise<Issuer> {
  const issuer = {
    cert: await readFile(caCertFile ?? join(certDir, 'ca.crt'), 'utf8'),
    key: await readFile(caKeyFile ?? join(certDir, 'ca.key'), 'utf8'),
  };
  return issueClientCertificate(issuer, { name: user, groups: group }, validityPeriod, systemClock.wall());
}
