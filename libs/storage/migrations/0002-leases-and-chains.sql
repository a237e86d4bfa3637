-- What work that one process does at a time needs, and what tells how long ago objects were written.

-- Who does a piece of work until when, by the clock of the database. A row rather than an advisory lock of a session: sessions
-- are not ours for longer than a transaction behind some connection poolers.
CREATE TABLE maintenance_lease (
  name text COLLATE "C" PRIMARY KEY,
  holder text NOT NULL,
  until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- At `at`, `version` was the last version drawn: whatever bears it or a lower one was written before.
CREATE TABLE version_mark (
  type integer NOT NULL REFERENCES resource_type (id),
  version bigint NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (type, at)
);
-- write_batch as in 0001, with one more thing that a caller may say: a version below zero stands for the one that the item
-- before it in the batch was given. So changes of one object that were made upon each other commit together, each as a version
-- of its own. When the item before it was not committed, this one is a conflict. Callers that name real versions, as servers
-- of the release before do, notice nothing.

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
  UPDATE resource_type SET head = lane_head WHERE id = lane_type AND head <> lane_head;
END $$;
