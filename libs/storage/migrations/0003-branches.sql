-- Where each type went on after a failover or a restoration. Other servers may have announced versions above `ended` that
-- were lost with the old database; versions go on at `began`, so that none of them is ever drawn again for other content.
CREATE TABLE branch (
  type integer NOT NULL REFERENCES resource_type (id),
  began bigint NOT NULL,
  ended bigint NOT NULL,
  PRIMARY KEY (type, began)
);

-- Notes that the database is another one than before, or on another timeline, and moves the versions on. What everybody has of
-- before stays valid. Does nothing when another server was first.
CREATE FUNCTION begin_branch(p_system text, p_timeline text, p_width bigint) RETURNS void
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
  PERFORM 1 FROM resource_type ORDER BY id FOR NO KEY UPDATE;
  SELECT greatest(s.last_value, (SELECT max(head) FROM resource_type)) INTO start_version FROM resource_version s;
  start_version := (start_version / p_width + 1000) * p_width;
  PERFORM create_history_partition(start_version / p_width + n, p_width) FROM generate_series(0, 2) n;
  PERFORM setval('resource_version', start_version, false);
  -- What lies below the floor is refused as it is.
  DELETE FROM branch b USING history_floor f WHERE f.type = b.type AND f.floor >= b.began;
  INSERT INTO branch (type, began, ended) SELECT id, start_version, head FROM resource_type;
  UPDATE installation SET system_identifier = p_system, timeline = p_timeline;
END $$;
