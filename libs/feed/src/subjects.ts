/** Where announcements of an installation go. */
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

/** The same of whichever installations there are, as permissions say it. */
export const anyPlaces = (prefix: string): ChangePlaces => ({ subjectPrefix: `${prefix}.*`, streamName: '*' });

/** Subject of the changes of a type; `*`: of all. */
export const subjectOf = ({ subjectPrefix }: Pick<ChangePlaces, 'subjectPrefix'>, type: number | '*'): string =>
  `${subjectPrefix}.changes.${type}`;

/** What a user of NATS may do, as subjects. */
export interface NatsPermissions {
  /** That it may publish to. */
  readonly publish: readonly string[];
  /** That it may hear. */
  readonly subscribe: readonly string[];
}

/**
 * The least that a process needs: gateways hear changes and read again what they missed; api-servers announce them, and make the
 * stream. Nobody may publish to inboxes, so nobody answers in the server's name.
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
