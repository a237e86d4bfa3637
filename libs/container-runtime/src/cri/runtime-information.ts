/** Name and versions of a runtime. */
export interface WireVersion {
  /** Name. */
  readonly runtimeName: string;
  /** Version of the program. */
  readonly runtimeVersion: string;
  /** Version of the protocol. */
  readonly runtimeApiVersion: string;
}

/** Details of a runtime beside its conditions, by names that each runtime chooses. */
export interface WireInformation {
  /** Texts, often JSON. */
  readonly info: Readonly<Record<string, string>>;
}

/** Returns the image of sandboxes from a configuration as containerd shows it; undefined if there is none. */
export function sandboxImageOf({ info }: WireInformation): string | undefined {
  const images = Object.values(info).map((text) => Object(parsed(text)).sandboxImage);
  return images.find((image) => typeof image === 'string' && image !== '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
