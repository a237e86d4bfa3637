import type { FileDescriptor } from '../../libs/schema/src/descriptor.js';

const HEADER = '// Generated from proto/ by `npm run generate`. Not to be edited.\n';

/**
 * A module that holds the descriptors as JSON text: parsing that takes a fraction of what compiling literals takes.
 * One struct a line keeps differences readable.
 */
export function emitDescriptors(files: readonly FileDescriptor[]): string {
  const text = files.map(({ structs, ...head }) => {
    const lines = structs.map((struct) => JSON.stringify(struct));
    return `${JSON.stringify(head).slice(0, -1)},"structs":[\n${lines.join(',\n')}\n]}`;
  });
  const json = `[\n${text.join(',\n')}\n]`;
  if (/`|\$\{/.test(json)) throw new Error('a declaration holds ` or ${, which a template literal cannot');
  return `${HEADER}export const DESCRIPTORS = String.raw\`${json}\`;\n`;
}
