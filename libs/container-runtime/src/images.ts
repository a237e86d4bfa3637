import type { SandboxConfig } from './sandboxes.js';

/** An image on the node. */
export interface StoredImage {
  /** Digest of its configuration, `sha256:…`. */
  readonly id: string;
  /** Names with tags, as `docker.io/library/busybox:1.36`. */
  readonly repoTags: readonly string[];
  /** Names with digests of manifests, as `docker.io/library/busybox@sha256:…`. */
  readonly repoDigests: readonly string[];
  /** Bytes on disk. */
  readonly size: number;
  /** Numeric user of its processes; 0 is root. Absent if `username` is set, or the image sets none. */
  readonly uid?: number;
  /** Name of the user of its processes. */
  readonly username?: string;
  /** Whether garbage collection must leave it. */
  readonly pinned: boolean;
}

/** Credentials for a registry: user and password, or a token. */
export interface RegistryAuth {
  /** Name of the user. */
  readonly username?: string;
  /** Password of the user. */
  readonly password?: string;
  /** `user:password` in base64. */
  readonly auth?: string;
  /** Address of the registry that the credentials are for. */
  readonly serverAddress?: string;
  /** Token to be exchanged for an access token. */
  readonly identityToken?: string;
  /** Bearer token sent to the registry. */
  readonly registryToken?: string;
}

/** An image to be pulled. */
export interface PullRequest {
  /** Reference with tag or digest. */
  readonly image: string;
  /** Credentials; absent: anonymous. */
  readonly auth?: RegistryAuth;
  /** Sandbox that it is pulled for. */
  readonly sandbox?: SandboxConfig;
  /** Aborts the pull, with error `Canceled`. */
  readonly signal?: AbortSignal;
}

/** Usage of a file system. */
export interface FilesystemUsage {
  /** Milliseconds since 1970 at which it was measured. */
  readonly at: number;
  /** Absolute path below which images are kept. */
  readonly mountpoint: string;
  /** Bytes. */
  readonly usedBytes: number;
  /** Files and folders; count. */
  readonly inodesUsed: number;
}
