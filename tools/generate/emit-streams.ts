import type { FileDescriptor } from '../../libs/schema/src/descriptor.js';

/** A module that names the subresources which are declared as streams, of whatever resource. */
export function emitStreams(files: readonly FileDescriptor[]): string {
  const subresources = files.flatMap(({ structs }) => structs.flatMap(({ resource }) => resource?.subresources ?? []));
  const names = [...new Set(subresources.filter(({ stream }) => stream).map(({ name }) => name))].sort();
  const items = names.map((name) => `'${name}'`).join(', ');
  return `// Generated from proto/ by \`npm run generate\`. Not to be edited.\nexport const STREAMS = [${items}] as const;\n`;
}
