/**
 * Returns the socket path of an endpoint; of an abstract one (`unix:///@name`) its name. @throws Error for an invalid
 * one
 */
export function socketOf(endpoint: string): string {
  const path = decodeURIComponent(new URL(endpoint).pathname);
  return path.startsWith('/@') ? path.slice(1) : path;
}
