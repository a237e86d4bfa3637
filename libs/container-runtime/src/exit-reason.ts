/** Returns the reason of a container's end. */
export function exitReason(exitCode: number, oomKilled: boolean): 'Completed' | 'OOMKilled' | 'Error' {
  if (oomKilled) return 'OOMKilled';
  return exitCode === 0 ? 'Completed' : 'Error';
}
