import { resolve } from 'node:path';
import type { Names } from '@orch/machinery';
import type { ClientUser, ImpersonationConfig } from '../connection.js';
import { type ExecPlugin, type InteractiveMode, pluginVersions } from '../credentials/exec-plugin.js';
import type { EntryReader } from './entry-reader.js';

/** Reads a `user`, checked as in client-go's tools/clientcmd. Throws {@link KubeconfigError}. */
export async function readUser(entry: EntryReader, names: Names): Promise<ClientUser> {
  refuseProvider(entry);
  const impersonate = impersonation(entry);
  const exec = entry.inner('exec');
  const plugin = exec && readPlugin(exec, names);
  return {
    ...(await certificate(entry)),
    ...(await tokens(entry)),
    ...(plugin && { exec: plugin }),
    ...(impersonate && { impersonate }),
  };
}

/** Refuses auth providers, which clients dropped with release 1.26 in favour of plugins. */
function refuseProvider(entry: EntryReader): void {
  const provider = entry.inner('auth-provider');
  if (!provider) return;
  if (entry.has('exec')) throw entry.error('auth-provider cannot be combined with exec');
  const name = JSON.stringify(provider.text('name') ?? '');
  throw entry.error(`the auth-provider ${name} is not supported: use a credential plugin (exec)`);
}

async function certificate(entry: EntryReader): Promise<ClientUser> {
  const cert = await material(entry, 'client-certificate');
  if (cert.text === undefined) return {};
  const key = await material(entry, 'client-key');
  if (key.text === undefined) throw entry.error('a client certificate needs client-key-data or client-key');
  if (cert.file !== undefined && key.file !== undefined) return { certFile: cert.file, keyFile: key.file };
  return { cert: cert.text, key: key.text };
}

/** Data of an entry or of its `-data`, and the file if it names one. */
async function material(entry: EntryReader, member: string): Promise<{ text?: string; file?: string }> {
  const [data, file, text] = [entry.data(member), entry.path(member), await entry.fileText(member)];
  if (data !== undefined && file !== undefined) throw entry.error(`${member}-data and ${member} are both specified`);
  if (data !== undefined) return { text: data };
  return text !== undefined && file !== undefined ? { text, file } : {};
}

/** Text that a header can carry. */
const SENDABLE = /^[\x20-\x7e]+$/;

async function tokens(entry: EntryReader): Promise<ClientUser> {
  const [token, username, password] = [entry.text('token'), entry.text('username'), entry.text('password')];
  const tokenFile = entry.path('tokenFile');
  const basic =
    (username ?? password) === undefined ? undefined : { username: username ?? '', password: password ?? '' };
  if (basic && (token ?? tokenFile) !== undefined) {
    throw entry.error('more than one authentication method found, token and basicAuth; only one is allowed');
  }
  if (token !== undefined && !SENDABLE.test(token))
    throw entry.error('the token has line breaks or other signs that no header can carry');
  // An unreadable file is reported here, not at the first request.
  if (token === undefined) await entry.fileText('tokenFile');
  return {
    ...(token !== undefined && { token }),
    ...(tokenFile !== undefined && { tokenFile }),
    ...(basic && { basic }),
  };
}

function impersonation(entry: EntryReader): ImpersonationConfig | undefined {
  const [user, uid] = [entry.text('as'), entry.text('as-uid')];
  const [groups, extra] = [entry.texts('as-groups'), entry.textLists('as-user-extra')];
  if (user === undefined) {
    if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
    throw entry.error('as-uid, as-groups and as-user-extra need a user to act as (as)');
  }
  return {
    user,
    ...(uid !== undefined && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function readPlugin(entry: EntryReader, names: Names): ExecPlugin {
  const { v1, v1beta1 } = pluginVersions(names);
  const [command, apiVersion, installHint] = [
    entry.text('command'),
    entry.text('apiVersion'),
    entry.text('installHint'),
  ];
  if (command === undefined) throw entry.error('command must be specified');
  if (apiVersion === undefined) throw entry.error('apiVersion must be specified');
  if (apiVersion !== v1 && apiVersion !== v1beta1) {
    throw entry.error(`invalid apiVersion ${JSON.stringify(apiVersion)}: it is ${v1} or ${v1beta1}`);
  }
  const args = entry.texts('args');
  return {
    apiVersion,
    // A bare name is looked up in PATH.
    command: command.includes('/') ? resolve(entry.file, '..', command) : command,
    args,
    env: variables(entry),
    ...(installHint && { installHint }),
    provideClusterInfo: entry.flag('provideClusterInfo'),
    interactiveMode: interactiveMode(entry, apiVersion === v1beta1 ? 'IfAvailable' : undefined),
  };
}

function variables(entry: EntryReader): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entry.list('env').map((variable) => {
      const name = variable.text('name');
      if (name === undefined) throw variable.error('the variable has no name');
      return [name, variable.text('value') ?? ''];
    }),
  );
}

function interactiveMode(entry: EntryReader, byDefault: InteractiveMode | undefined): InteractiveMode {
  const mode = entry.text('interactiveMode') ?? byDefault;
  if (mode === undefined) throw entry.error('interactiveMode must be specified');
  if (mode === 'Never' || mode === 'IfAvailable' || mode === 'Always') return mode;
  throw entry.error(`invalid interactiveMode ${JSON.stringify(mode)}: it is Never, IfAvailable or Always`);
}
