/** The path of an endpoint; of one that is no file (`unix:///@name`) its name. @throws Error for what is no address */
export function socketOf(endpoint: string): string {
  const path = decodeURIComponent(new URL(endpoint).pathname);
  return path.startsWith('/@') ? path.slice(1) : path;
}
