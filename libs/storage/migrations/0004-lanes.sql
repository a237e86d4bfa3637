-- Lanes and heads that no open snapshot can slow down.
--
-- A head that is updated by each commit leaves a chain of row versions that cannot be pruned while any older snapshot is open
-- (pg_dump, a long list, a replica with feedback), and every reader of the head walks it. So a lane is an advisory lock now, and
-- heads are a log: each commit adds one, the newest is the first that a search from the end of the index finds, however many
-- lie behind it. Compaction removes those.
--
-- Servers of the release before go on: they call write_batch, begin_epoch and begin_branch, whose bodies are replaced here;
-- they read resource_type, now a view, and insert into it. Where they lock its rows they do not wait for a write in flight
-- any more: a read at a version between the head and one drawn but not committed is answered at the head.

ALTER TABLE resource_type RENAME TO lane;

-- One row per commit and type; the highest version is the type's head.
CREATE TABLE head (
  type integer NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (type, version)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_insert_threshold = 1000000, autovacuum_analyze_threshold = 1000000);
INSERT INTO head (type, version) SELECT id, head FROM lane;

ALTER TABLE lane DROP COLUMN head;

-- The types with their heads: what everybody reads.
CREATE VIEW resource_type AS
  SELECT l.id, l.api_group, l.resource,
         (SELECT h.version FROM head h WHERE h.type = l.id ORDER BY h.version DESC LIMIT 1) AS head
    FROM lane l;

CREATE FUNCTION insert_resource_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lane (id, api_group, resource) VALUES (NEW.id, NEW.api_group, NEW.resource);
  INSERT INTO head (type, version) VALUES (NEW.id, NEW.head);
  RETURN NEW;
END $$;
CREATE TRIGGER insert_resource_type INSTEAD OF INSERT ON resource_type
  FOR EACH ROW EXECUTE FUNCTION insert_resource_type();

-- Takes every lane until the end of the transaction, in the order of writers: whoever moves heads other than by a write.
-- The next statement sees all that was committed under them.
CREATE FUNCTION lock_lanes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock('lane'::regclass::integer, l.id) FROM (SELECT id FROM lane ORDER BY id OFFSET 0) l;
END $$;

-- Waits until the write of a type that is in flight has ended. In the queue of the writers: it overtakes none of them, and
-- keeps none waiting for longer than it takes to wake up.
CREATE FUNCTION await_lane(p_type integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared('lane'::regclass::integer, p_type);
END $$;

-- Removes the heads that are none any more. Waits for nobody, and nobody waits for it.
CREATE FUNCTION trim_heads() RETURNS void LANGUAGE sql AS $$
  DELETE FROM head h USING resource_type t WHERE h.type = t.id AND h.version < t.head;
$$;

CREATE OR REPLACE FUNCTION write_batch(
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
  PERFORM pg_advisory_xact_lock('lane'::regclass::integer, t) FROM unnest(p_types) t;
  SELECT array_agg(l.head), (extract(epoch FROM clock_timestamp()) * 1000)::bigint INTO heads, o_at
    FROM (SELECT t.head FROM resource_type t WHERE t.id = ANY (p_types) ORDER BY t.id) l;
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
        INSERT INTO head (type, version) SELECT lane_type, lane_head WHERE lane_head <> heads[lane];
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
          WHERE o.type = v_type AND o.namespace = v_namespace AND o.name = v_name
            AND o.version = CASE WHEN v_version >= 0 THEN v_version WHEN o_outcome = 1 THEN o_version END
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
  INSERT INTO head (type, version) SELECT lane_type, lane_head WHERE lane_head <> heads[lane];
END $$;

CREATE OR REPLACE FUNCTION begin_epoch(p_epoch bigint, p_announced bigint, p_width bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  start_version bigint;
BEGIN
  PERFORM 1 FROM installation WHERE epoch = p_epoch FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM lock_lanes();
  SELECT greatest(s.last_value, p_announced, (SELECT max(head) FROM resource_type)) INTO start_version FROM resource_version s;
  start_version := (start_version / p_width + 1000) * p_width;
  PERFORM create_history_partition(start_version / p_width + n, p_width) FROM generate_series(0, 2) n;
  PERFORM setval('resource_version', start_version, false);
  INSERT INTO head (type, version) SELECT l.id, nextval('resource_version') FROM (SELECT id FROM lane ORDER BY id) l;
  UPDATE history_floor f SET floor = t.head FROM resource_type t WHERE t.id = f.type;
  UPDATE installation SET epoch = epoch + 1;
END $$;

CREATE OR REPLACE FUNCTION begin_branch(p_system text, p_timeline text, p_width bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  start_version bigint;
BEGIN
  PERFORM 1 FROM installation FOR UPDATE;
  PERFORM 1 FROM installation
    WHERE system_identifier IS NOT DISTINCT FROM p_system AND timeline IS NOT DISTINCT FROM p_timeline;
  IF FOUND THEN
    RETURN;
  END IF;
  PERFORM lock_lanes();
  SELECT greatest(s.last_value, (SELECT max(head) FROM resource_type)) INTO start_version FROM resource_version s;
  start_version := (start_version / p_width + 1000) * p_width;
  PERFORM create_history_partition(start_version / p_width + n, p_width) FROM generate_series(0, 2) n;
  PERFORM setval('resource_version', start_version, false);
  -- What lies below the floor is refused as it is.
  DELETE FROM branch b USING history_floor f WHERE f.type = b.type AND f.floor >= b.began;
  INSERT INTO branch (type, began, ended) SELECT id, start_version, head FROM resource_type;
  UPDATE installation SET system_identifier = p_system, timeline = p_timeline;
END $$;
