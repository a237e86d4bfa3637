import { constants, openSync } from 'node:fs';
import { CONTAINER_FILES } from '../state/records.js';

/** A path of the control socket of a container that is short enough for a socket, however long that of its folder is. */
interface ControlPath {
  /** Path of the socket: by a descriptor of the folder, as a socket's may have 107 bytes. */
  readonly path: string;
  /** Descriptor of the folder. The path holds until it is closed. */
  readonly descriptor: number;
}

/** Opens the folder of a container for its control socket. @throws Error if it does not exist */
export function openControlPath(folder: string): ControlPath {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${descriptor}/${CONTAINER_FILES.control}`, descriptor };
}
