import { readFileSync } from 'node:fs';

/** A template of `deploy/`, filled in as `envsubst` does. Throws when a variable of it has no value. */
export function fillTemplate(file: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(file, 'utf8').replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${file}: no value for ${name}`);
    return value;
  });
}
