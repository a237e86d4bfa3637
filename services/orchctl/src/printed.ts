import { stringifyJson, stringifyYaml } from '@orch/codec';

/** Objects as a text: YAML documents, or one JSON value, a List where they are several. */
export function printed(objects: readonly unknown[], form: 'yaml' | 'json'): string {
  if (objects.length === 0) return '';
  if (form === 'yaml') return objects.map(stringifyYaml).join('---\n');
  const [first, ...others] = objects;
  const whole = others.length === 0 ? first : { apiVersion: 'v1', kind: 'List', items: objects };
  return `${stringifyJson(whole, 2)}\n`;
}
