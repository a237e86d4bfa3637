-- The first schema: types, objects, history, and the function that commits a batch.
-- Runs in one transaction, with search_path set to the schema that is being migrated.

-- Who this database belongs to. One row.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  cluster_id text NOT NULL,
  naming text NOT NULL,
  -- Raised whenever the database turned out to have gone back in time.
  epoch bigint NOT NULL DEFAULT 1,
  -- Where history was last known to be unbroken; null where the service does not tell.
  system_identifier text,
  timeline text
);

CREATE SEQUENCE resource_version AS bigint START 1 CACHE 1;

-- One row per resource type. Its row lock is the lane that orders the type's commits; fillfactor keeps updates in the page.
CREATE TABLE resource_type (
  id integer PRIMARY KEY,
  api_group text COLLATE "C" NOT NULL,
  resource text COLLATE "C" NOT NULL,
  head bigint NOT NULL,
  UNIQUE (api_group, resource)
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Apart from the heads, so that compaction raises floors without waiting in the lanes of writers.
CREATE TABLE history_floor (
  type integer PRIMARY KEY REFERENCES resource_type (id),
  floor bigint NOT NULL
) WITH (fillfactor = 50);

-- toast_tuple_target: bodies of up to most of a page stay in the row. EXTERNAL: no compression while a lane is held.
CREATE TABLE object (
  type integer NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  terminating boolean NOT NULL DEFAULT false,
  body bytea NOT NULL,
  PRIMARY KEY (type, namespace, name)
) WITH (toast_tuple_target = 8160, fillfactor = 85,
        autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- Outbox and history. `at` is in milliseconds since 1970. Partition n holds the versions [n * width, (n + 1) * width).
CREATE TABLE change (
  type integer NOT NULL,
  version bigint NOT NULL,
  previous bigint NOT NULL,
  prior_version bigint,
  at bigint NOT NULL,
  action smallint NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  body bytea NOT NULL,
  prior bytea,
  PRIMARY KEY (type, version)
) PARTITION BY RANGE (version);

-- The partitions that exist. `sealed_at`: when the sequence was first seen to have left the partition behind.
-- Its table lock is also the gate between long reads of history and compaction.
CREATE TABLE history_partition (
  number bigint PRIMARY KEY,
  opened_at timestamptz,
  sealed_at timestamptz
);

-- (STORAGE inside CREATE TABLE needs release 16.) LIKE ... INCLUDING STORAGE carries it to the partitions.
ALTER TABLE object ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE change ALTER COLUMN body SET STORAGE EXTERNAL, ALTER COLUMN prior SET STORAGE EXTERNAL;

-- Creates partition n of `change` if it is missing. Attaching takes a lock that writers and readers do not notice,
-- where CREATE TABLE ... PARTITION OF would wait for all of them and hold up those behind it.
CREATE FUNCTION create_history_partition(p_number bigint, p_width bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  partition text := 'change_' || p_number;
BEGIN
  INSERT INTO history_partition (number) VALUES (p_number) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  EXECUTE format(
    'CREATE TABLE %I (LIKE change INCLUDING ALL) WITH (toast_tuple_target = 8160, autovacuum_enabled = false, toast.autovacuum_enabled = false)',
    partition);
  EXECUTE format('ALTER TABLE change ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
    partition, p_number * p_width, (p_number + 1) * p_width);
  RETURN true;
END $$;

-- Commits a batch of writes, each decided on its own.
--
-- p_types     distinct types of the batch, ascending: the lanes to take
-- p_gates     namespace gates to take, ascending: 2 * (hash of a namespace), plus 1 for exclusive
-- p_namespaces  the type that holds namespaces
-- The other arrays have one element per item, grouped by type in the order of p_types.
-- p_action    1 create, 2 create that requires its namespace, 3 update, 4 update to terminating, 5 delete
-- Returns one row per item, in order. o_outcome: 1 committed, 2 already exists, 3 conflict, 4 not found,
-- 5 namespace not found, 6 namespace terminating.
--
-- VOLATILE, with the lanes taken by a statement of their own: each later statement then has a snapshot that was taken after
-- the lock was granted. A statement that locks and reads at once would read what was there before it waited.
--
-- Deadlock freedom: locks are taken in one global order, and all of a batch's locks of a class before any of the next:
--   1. lanes (rows of resource_type) in id order; 2. namespace gates in key order; 3. rows of object and change.
-- Rows of class 3 belong to a type whose lane is held, so nobody waits for those. Compaction takes none of 1 and 2.
--
-- Namespace gates: creations hold the gate of their namespace shared until commit, whatever makes a namespace terminating or
-- removes it holds it exclusively. So a creation either commits before the namespace goes away (and its remover sees the
-- object) or sees that it has gone. Advisory locks, not FOR SHARE on the namespace's row: they write nothing, and they
-- queue fairly, where overlapping row shares of several servers could starve a deletion.
--
-- PL/pgSQL prepares every expression anew in each transaction (3 microseconds apiece), so the body says as much as it can
-- inside of its SQL statements.
--
-- Servers one release older call this function: a change of meaning or signature takes a new name.
CREATE FUNCTION write_batch(
  p_types integer[], p_gates bigint[], p_namespaces integer,
  p_type integer[], p_action smallint[], p_namespace text[], p_name text[], p_uid text[], p_version bigint[], p_body bytea[])
RETURNS TABLE (o_outcome smallint, o_version bigint, o_previous bigint, o_uid text, o_at bigint)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  heads bigint[];
  gate bigint;
  lane integer := 0;
  lane_type integer := 0;
  lane_head bigint;
  v_type integer;
  v_action smallint;
  v_namespace text;
  v_name text;
  v_uid text;
  v_version bigint;
  v_body bytea;
  asked_namespace text;
  namespace_outcome smallint;
BEGIN
  SELECT array_agg(l.head), (extract(epoch FROM clock_timestamp()) * 1000)::bigint INTO heads, o_at
    FROM (SELECT t.head FROM resource_type t WHERE t.id = ANY (p_types) ORDER BY t.id FOR NO KEY UPDATE) l;
  IF cardinality(heads) IS DISTINCT FROM cardinality(p_types) THEN
    RAISE EXCEPTION 'a type of % is not registered', p_types USING ERRCODE = 'foreign_key_violation';
  END IF;
  FOREACH gate IN ARRAY p_gates LOOP
    IF gate & 1 = 1 THEN
      PERFORM pg_advisory_xact_lock(1719283745, (gate >> 1)::integer);
    ELSE
      PERFORM pg_advisory_xact_lock_shared(1719283745, (gate >> 1)::integer);
    END IF;
  END LOOP;

  FOR v_type, v_action, v_namespace, v_name, v_uid, v_version, v_body IN
    SELECT * FROM unnest(p_type, p_action, p_namespace, p_name, p_uid, p_version, p_body)
  LOOP
    IF v_type <> lane_type THEN
      IF lane > 0 THEN
        UPDATE resource_type SET head = lane_head WHERE id = lane_type AND head <> lane_head;
      END IF;
      lane := lane + 1;
      lane_type := v_type;
      lane_head := heads[lane];
      asked_namespace := NULL;
    END IF;

    IF v_action >= 3 THEN
      INSERT INTO change (type, version, previous, prior_version, at, action, namespace, name, uid, body, prior)
        SELECT v_type, nextval('resource_version'), lane_head, o.version, o_at, CASE v_action WHEN 5 THEN 5 ELSE 3 END,
               v_namespace, v_name, o.uid, v_body, o.body
          FROM object o
          WHERE o.type = v_type AND o.namespace = v_namespace AND o.name = v_name AND o.version = v_version
        RETURNING 1, version, previous, uid INTO o_outcome, o_version, o_previous, o_uid;
      IF NOT FOUND THEN
        SELECT CASE WHEN o.version IS NULL THEN 4 ELSE 3 END, o.version INTO o_outcome, o_version
          FROM (SELECT) one LEFT JOIN object o ON o.type = v_type AND o.namespace = v_namespace AND o.name = v_name;
      ELSIF v_action = 5 THEN
        DELETE FROM object o WHERE o.type = v_type AND o.namespace = v_namespace AND o.name = v_name;
        lane_head := o_version;
      ELSE
        UPDATE object o SET version = o_version, terminating = (v_action = 4), body = v_body
          WHERE o.type = v_type AND o.namespace = v_namespace AND o.name = v_name;
        lane_head := o_version;
      END IF;
    ELSE
      IF v_action = 2 AND v_namespace IS DISTINCT FROM asked_namespace THEN
        SELECT CASE WHEN o.name IS NULL THEN 5 WHEN o.terminating THEN 6 END INTO namespace_outcome
          FROM (SELECT) one LEFT JOIN object o ON o.type = p_namespaces AND o.namespace = '' AND o.name = v_namespace;
        asked_namespace := v_namespace;
      END IF;
      IF v_action = 2 AND namespace_outcome IS NOT NULL THEN
        SELECT namespace_outcome, NULL, NULL, NULL INTO o_outcome, o_version, o_previous, o_uid;
      ELSE
        INSERT INTO object (type, namespace, name, uid, version, body)
          VALUES (v_type, v_namespace, v_name, v_uid, nextval('resource_version'), v_body)
          ON CONFLICT DO NOTHING
          RETURNING 1, version, lane_head, uid INTO o_outcome, o_version, o_previous, o_uid;
        IF FOUND THEN
          INSERT INTO change (type, version, previous, at, action, namespace, name, uid, body)
            VALUES (v_type, o_version, lane_head, o_at, 1, v_namespace, v_name, v_uid, v_body);
          lane_head := o_version;
        ELSE
          o_outcome := 2;
        END IF;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
  UPDATE resource_type SET head = lane_head WHERE id = lane_type AND head <> lane_head;
END $$;

-- Drops partition n of `change`, raising the floors of its types first. Waits for long reads of history at a gate of their own,
-- where no writer stands behind it; then takes the one lock that writers do notice, for at most p_patience milliseconds.
CREATE FUNCTION drop_history_partition(p_number bigint, p_patience integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  partition text := 'change_' || p_number;
BEGIN
  -- Reads of history queue behind this one too, so it is not patient either.
  PERFORM set_config('lock_timeout', (4 * p_patience)::text, true);
  LOCK TABLE history_partition IN ACCESS EXCLUSIVE MODE;
  PERFORM set_config('lock_timeout', p_patience::text, true);
  LOCK TABLE ONLY change IN ACCESS EXCLUSIVE MODE;
  EXECUTE format(
    'UPDATE history_floor f SET floor = d.version
       FROM (SELECT t.id, (SELECT max(c.version) FROM %I c WHERE c.type = t.id) AS version FROM resource_type t) d
      WHERE f.type = d.id AND d.version > f.floor', partition);
  EXECUTE format('DROP TABLE %I', partition);
  DELETE FROM history_partition WHERE number = p_number;
END $$;

-- Starts a new epoch after the database went back in time: no version that was announced before can be drawn again, and every
-- version before now lies below the floors. Does nothing when another server was first (the epoch is not p_epoch any more).
CREATE FUNCTION begin_epoch(p_epoch bigint, p_announced bigint, p_width bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  start_version bigint;
  lane integer;
BEGIN
  PERFORM 1 FROM installation WHERE epoch = p_epoch FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM 1 FROM resource_type ORDER BY id FOR NO KEY UPDATE;
  SELECT greatest(s.last_value, p_announced, (SELECT max(head) FROM resource_type)) INTO start_version FROM resource_version s;
  start_version := (start_version / p_width + 1000) * p_width;
  PERFORM create_history_partition(start_version / p_width + n, p_width) FROM generate_series(0, 2) n;
  PERFORM setval('resource_version', start_version, false);
  FOR lane IN SELECT id FROM resource_type ORDER BY id LOOP
    UPDATE resource_type SET head = nextval('resource_version') WHERE id = lane;
  END LOOP;
  UPDATE history_floor f SET floor = t.head FROM resource_type t WHERE t.id = f.type;
  UPDATE installation SET epoch = epoch + 1;
END $$;
