import { openSync, readdirSync, readFileSync } from 'node:fs';

/** Flag of a descriptor that programs do not inherit (open(2)). */
const CLOSE_ON_EXEC = 0o2000000;

/** Descriptors of this process that programs inherit which it starts: it has them from whoever has started it. */
function inherited(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => {
      try {
        const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
        return (Number.parseInt(/^flags:\s+(\d+)/m.exec(text)?.[1] ?? '', 8) & CLOSE_ON_EXEC) === 0;
      } catch {
        // It was that of the folder, or has just been closed.
        return false;
      }
    });
}

/** Descriptor of /dev/null, in place of those that programs are not to have. */
let nothing: number | undefined;

/**
 * Returns the streams of a program with nothing in place of all other descriptors that it would inherit. Containers
 * would have them: files and folders of the machine among them.
 */
export function ownDescriptors<Stream>(streams: readonly Stream[]): (Stream | 'ignore' | number)[] {
  const own: (Stream | 'ignore' | number)[] = [...streams];
  for (const descriptor of inherited()) {
    if (descriptor < streams.length) continue;
    nothing ??= openSync('/dev/null', 'r+');
    while (own.length < descriptor) own.push('ignore');
    own[descriptor] = nothing;
  }
  return own;
}
