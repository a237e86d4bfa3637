/** A certificate with its chain and its private key, PEM. */
export interface Pair {
  /** Certificate chain, leaf first. */
  readonly cert: string;
  /** Private key of the leaf certificate. */
  readonly key: string;
}

/** A certificate for clients that request one of its names (TLS server name indication). */
export interface NamedShownPair extends Pair {
  /** Host names in lower case; a leading `*.` matches one label. */
  readonly names: readonly string[];
}

/**
 * Finds the pair for a requested name: the one with that name, else one with a matching wildcard; undefined if there is
 * none.
 */
export function pairFor<T extends Pick<NamedShownPair, 'names'>>(pairs: readonly T[], asked: string): T | undefined {
  const name = asked.toLowerCase();
  const wildcard = name.replace(/^[^.]+/, '*');
  return pairs.find(({ names }) => names.includes(name)) ?? pairs.find(({ names }) => names.includes(wildcard));
}
