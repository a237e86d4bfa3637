import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type PluginConfiguration, readAdmissionConfiguration } from '@orch/admission';
import { parseYaml } from '@orch/codec';

/**
 * Reads the file of `--admission-control-config-file` and the files that it names for plugins, which are relative to
 * it.
 * @param file undefined for none
 * @param isSelected whether a plugin is enabled; configurations of others are not read
 * @returns configurations by the name of the plugin
 * @throws Error that names the file that is unreadable or invalid
 */
export async function readPluginConfigurations(
  file: string | undefined,
  isSelected: (name: string) => boolean,
): Promise<ReadonlyMap<string, unknown>> {
  const read = new Map<string, unknown>();
  if (file === undefined) return read;
  const configured = await parsed(file, file, readAdmissionConfiguration);
  for (const [name, configuration] of configured) {
    if (isSelected(name)) read.set(name, await configurationOf(file, configuration));
  }
  return read;
}

async function configurationOf(file: string, configured: PluginConfiguration): Promise<unknown> {
  if ('configuration' in configured) return configured.configuration;
  return 'path' in configured ? parsed(file, resolve(dirname(file), configured.path), (value) => value) : undefined;
}

async function parsed<T>(named: string, file: string, read: (value: unknown) => T): Promise<T> {
  try {
    return read(parseYaml(await readFile(file)).value);
  } catch (cause) {
    const where = file === named ? '' : `${file}: `;
    throw new Error(`--admission-control-config-file ${named}: ${where}${(cause as Error).message}`, { cause });
  }
}
