/** Schema of the events, beside that of the state. */
export const EVENT_SCHEMA = 'audit';

/**
 * Rights of servers: they add events, and nothing else; an api-server also drops days older than the retention. Days
 * are created and dropped by functions that run as the owner of the schema.
 */
export const EVENT_RIGHTS = {
  relations: {
    schema_migration: { apiServer: 'SELECT', gateway: 'SELECT' },
    event: { apiServer: 'INSERT', gateway: 'INSERT' },
  },
  functions: {
    ensure_event_day: { apiServer: true, gateway: true, asOwner: true },
    drop_old_event_days: { apiServer: true, asOwner: true },
  },
} as const;

/** Migrations of the event tables; a released one is never changed. */
export const EVENT_MIGRATIONS = [
  {
    number: 1,
    name: '0001-events',
    text: `
      -- One stage of a request. The columns are what is asked for; the whole is in event.
      CREATE TABLE event (
        at timestamptz NOT NULL,
        stage text NOT NULL,
        level text NOT NULL,
        audit_id text NOT NULL,
        username text NOT NULL,
        impersonated text,
        verb text NOT NULL,
        api_group text NOT NULL,
        resource text NOT NULL,
        subresource text NOT NULL,
        namespace text NOT NULL,
        name text NOT NULL,
        code integer,
        source_ip text,
        event jsonb NOT NULL
      ) PARTITION BY RANGE (at);
      -- Who deleted it, and when.
      CREATE INDEX event_object ON event (resource, namespace, name, at);
      CREATE INDEX event_user ON event (username, at);
      CREATE INDEX event_at ON event (at);

      -- Makes sure that the events of a day (UTC) have a place.
      CREATE FUNCTION ensure_event_day(day date) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        place text := 'event_' || to_char(day, 'YYYYMMDD');
      BEGIN
        IF to_regclass(place) IS NOT NULL THEN
          RETURN;
        END IF;
        PERFORM pg_advisory_xact_lock(1719283747);
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF event FOR VALUES FROM (%L) TO (%L)',
          place, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
      END $$;

      -- Drops the days of which every event is older; tells how many.
      CREATE FUNCTION drop_old_event_days(age interval) RETURNS integer LANGUAGE plpgsql AS $$
      DECLARE
        place text;
        dropped integer := 0;
      BEGIN
        FOR place IN
          SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = 'event'::regclass
             AND (to_date(substr(c.relname, 7), 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC' <= now() - age
        LOOP
          EXECUTE format('DROP TABLE IF EXISTS %I', place);
          dropped := dropped + 1;
        END LOOP;
        RETURN dropped;
      END $$`,
  },
  {
    number: 2,
    name: '0002-near-days',
    text: `
      -- Makes sure that the events of a day (UTC) have a place. Whoever only adds events makes no other days than those that events
      -- can be of, give or take what clocks differ and events wait: of a day too far off the name would be none of a day.
      CREATE OR REPLACE FUNCTION ensure_event_day(day date) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        today date := (now() AT TIME ZONE 'UTC')::date;
        place text := 'event_' || to_char(day, 'YYYYMMDD');
      BEGIN
        IF day IS NULL OR day NOT BETWEEN today - 2 AND today + 2 THEN
          RAISE EXCEPTION 'events of % have no place: it is % here', day, today USING ERRCODE = 'datetime_field_overflow';
        END IF;
        IF to_regclass(place) IS NOT NULL THEN
          RETURN;
        END IF;
        PERFORM pg_advisory_xact_lock(1719283747);
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF event FOR VALUES FROM (%L) TO (%L)',
          place, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
      END $$;

      -- Drops the places of which every event is older; tells how many. By what a place is for and not by its name, and one
      -- that cannot be dropped keeps no other: only where none could be is that an error.
      CREATE OR REPLACE FUNCTION drop_old_event_days(age interval) RETURNS integer LANGUAGE plpgsql AS $$
      DECLARE
        place regclass;
        dropped integer := 0;
        failure text;
      BEGIN
        -- Servers do this about the same time, and each is to see what the others have left.
        PERFORM pg_advisory_xact_lock(1719283747);
        FOR place IN
          SELECT i.inhrelid FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = 'event'::regclass
             AND substring(pg_get_expr(c.relpartbound, c.oid) FROM ' TO \\(''([^'']*)''\\)$')::timestamptz <= now() - age
        LOOP
          BEGIN
            EXECUTE format('DROP TABLE IF EXISTS %s', place);
            dropped := dropped + 1;
          EXCEPTION WHEN OTHERS THEN
            failure := SQLERRM;
          END;
        END LOOP;
        IF dropped = 0 AND failure IS NOT NULL THEN
          RAISE EXCEPTION 'old events cannot be dropped: %', failure;
        END IF;
        RETURN dropped;
      END $$`,
  },
] as const;
