/** Thrown for a text that is no name of an image. */
export class ImageNameError extends Error {
  override readonly name = 'ImageNameError';
}

const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const HOST =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::\\d+)?';
const NAME = new RegExp(
  `^(?:(${HOST})/)?(${COMPONENT}(?:/${COMPONENT})*)(?::(\\w[\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
const MAX_LENGTH = 1024;

/** Returns the name of an image with a tag or digest: `latest` if it has neither. @throws ImageNameError */
export function withTag(image: string): string {
  const match = image.length > MAX_LENGTH ? undefined : NAME.exec(image);
  if (!match) {
    const isUpper = image.length <= MAX_LENGTH && NAME.test(image.toLowerCase());
    const why = isUpper ? 'repository name must be lowercase' : 'invalid reference format';
    throw new ImageNameError(
      `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${isUpper ? `invalid reference format: ${why}` : why}`,
    );
  }
  const [, , , tag, digest] = match;
  return tag === undefined && digest === undefined ? `${image}:latest` : image;
}

/** Returns registry and path of an image: `docker.io/library/busybox` for `busybox:1`. */
export function repositoryOf(image: string): string {
  const [, host, path = ''] = NAME.exec(image) ?? [];
  const isHost = host !== undefined && (/[.:]/.test(host) || host === 'localhost');
  if (isHost) return `${host}/${path}`;
  const whole = host === undefined ? path : `${host}/${path}`;
  return `docker.io/${whole.includes('/') ? whole : `library/${whole}`}`;
}
