/** Names of an installation's subject and stream of announcements. */
export interface ChangePlaces {
  /** First tokens of the subjects, `<prefix>.changes.<type>`. */
  readonly subjectPrefix: string;
  /** Stream that holds the subjects. */
  readonly streamName: string;
}

/** Subjects and stream carry the id of the cluster, so that installations may share a NATS. */
export const placesOf = (prefix: string, clusterId: string): ChangePlaces => ({
  subjectPrefix: `${prefix}.${clusterId}`,
  streamName: `${prefix}-${clusterId}`,
});

/** Same for all installations, as in permissions. */
export const anyPlaces = (prefix: string): ChangePlaces => ({ subjectPrefix: `${prefix}.*`, streamName: '*' });

/** Subject of the changes of a type; `*` for all. */
export const subjectOf = ({ subjectPrefix }: Pick<ChangePlaces, 'subjectPrefix'>, type: number | '*'): string =>
  `${subjectPrefix}.changes.${type}`;

/** Permissions of a user of NATS, as subjects. */
export interface NatsPermissions {
  /** Subjects that it may publish to. */
  readonly publish: readonly string[];
  /** Subjects that it may subscribe to. */
  readonly subscribe: readonly string[];
}

/**
 * The least permissions that a process needs: gateways subscribe to changes and read missed ones again; api-servers
 * announce them, and create the stream. No client may publish to inboxes, so that none can answer in the server's name.
 */
export function permissionsOf(process: 'api-server' | 'gateway', places: ChangePlaces): NatsPermissions {
  const { streamName: stream } = places;
  const changes = subjectOf(places, '*');
  const rereading = [
    '$JS.API.INFO',
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
  ];
  const announcing = [changes, '$JS.API.STREAM.NAMES', `$JS.API.STREAM.CREATE.${stream}`];
  return {
    publish: process === 'gateway' ? rereading : [...announcing, ...rereading],
    subscribe: [changes, '_INBOX.>'],
  };
}
