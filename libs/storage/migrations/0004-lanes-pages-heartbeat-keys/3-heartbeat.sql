-- A restored backup is known by the silence before it, whatever system identifier and timeline it has.
--
-- Some process notes once a second that the database is in use (beat). Whoever finds that nobody has for a while lets history go
-- on above everything that can have been drawn meanwhile, by servers of this database or of the one that it is a copy of, and
-- notes what lies between as lost (resume_history). After a stop without a restoration that costs nothing but numbers:
-- nobody has a version from in between, and those of before stay valid.
--
-- How far versions can have come tells a line: `pace` versions for each second since `origin`, and an hour's worth on top for
-- clocks that differ. All that is drawn lies below it, and what leaps leaps to it. So it does not matter how often a history that
-- was lost had been resumed itself.

CREATE TABLE heartbeat (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  at timestamptz NOT NULL,
  origin timestamptz NOT NULL,
  origin_version bigint NOT NULL,
  -- Versions a second: more than are drawn and left out when partitions are closed. The most that any server was set to.
  pace bigint NOT NULL DEFAULT 1000000
) WITH (fillfactor = 10);

-- This may be an old backup, too: what the release before has left tells when it last ran.
INSERT INTO heartbeat (at, origin, origin_version)
SELECT seen.at, seen.at, s.last_value
  FROM resource_version s,
       (SELECT least(clock_timestamp(), coalesce(
          greatest((SELECT max(until) FROM maintenance_lease), (SELECT max(opened_at) FROM history_partition)),
          clock_timestamp())) AS at) seen;

-- How often history went on after such a silence: a server whose connections have outlived it learns of it where it reads heads.
ALTER TABLE installation ADD COLUMN resumed bigint NOT NULL DEFAULT 0;

-- Notes that the database is in use. Returns 'beaten', 'fresh' when another was here a moment ago, or 'silent' when nobody has
-- been for longer than p_silence seconds (or the clock went back), which is not covered up.
CREATE FUNCTION beat(p_pace bigint, p_silence double precision) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  age double precision;
  known bigint;
BEGIN
  SELECT extract(epoch FROM clock_timestamp() - h.at), h.pace INTO age, known FROM heartbeat h;
  IF abs(age) > p_silence THEN
    RETURN 'silent';
  ELSIF age < 0.9 AND known >= p_pace THEN
    RETURN 'fresh';
  END IF;
  UPDATE heartbeat h SET at = greatest(h.at, clock_timestamp()), pace = greatest(h.pace, p_pace);
  RETURN 'beaten';
END $$;

-- Moves the sequence above everything that can have been drawn, and above p_announced as far as any server can have got by
-- mistake of a clock; the caller holds all lanes. Returns the next version.
CREATE FUNCTION leap(p_width bigint, p_announced bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  beaten heartbeat;
  moment timestamptz;
  age bigint;
  start_version bigint;
BEGIN
  SELECT * INTO beaten FROM heartbeat FOR UPDATE;
  moment := clock_timestamp();
  age := ceil(extract(epoch FROM moment - beaten.at));
  SELECT greatest(
      beaten.origin_version
        + beaten.pace * (ceil(extract(epoch FROM greatest(moment, beaten.at) - beaten.origin))::bigint + 3600),
      greatest(s.last_value, (SELECT max(head) FROM resource_type)) + beaten.pace * greatest(age, 5))
    INTO start_version FROM resource_version s;
  UPDATE heartbeat SET at = moment;
  -- With a clock that went back nobody knows how long it was: a hundred days, and a line of its own from here.
  IF age < -5 THEN
    start_version := start_version + beaten.pace * 8640000;
    UPDATE heartbeat SET origin = moment, origin_version = start_version;
  END IF;
  start_version := greatest(start_version, least(p_announced, start_version + beaten.pace * 8640000) + 1);
  -- The last tenth of a partition is where it is not closed any more.
  IF start_version % p_width >= p_width / 10 * 9 THEN
    start_version := (start_version / p_width + 1) * p_width;
  END IF;
  PERFORM create_history_partition(start_version / p_width + n, p_width) FROM generate_series(0, 2) n;
  PERFORM setval('resource_version', start_version, false);
  RETURN start_version;
END $$;

-- Lets history go on after a silence, or in another database than before, or on another timeline. What everybody has of before
-- stays valid. Does nothing when another server was first.
CREATE FUNCTION resume_history(
  p_system text, p_timeline text, p_width bigint, p_pace bigint, p_silence double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  start_version bigint;
BEGIN
  PERFORM 1 FROM installation FOR UPDATE;
  PERFORM 1 FROM installation, heartbeat h
    WHERE system_identifier IS NOT DISTINCT FROM p_system AND timeline IS NOT DISTINCT FROM p_timeline
      AND abs(extract(epoch FROM clock_timestamp() - h.at)) <= p_silence;
  IF FOUND THEN
    RETURN;
  END IF;
  PERFORM lock_lanes();
  UPDATE heartbeat SET pace = greatest(pace, p_pace);
  start_version := leap(p_width, 0);
  -- What lies below the floor is refused as it is; a type that was not written since its last branch has one gap, not two.
  DELETE FROM branch b USING history_floor f, resource_type t
   WHERE f.type = b.type AND t.id = b.type AND (f.floor >= b.began OR t.head <= b.ended);
  INSERT INTO branch (type, began, ended) SELECT id, start_version, head FROM resource_type;
  UPDATE installation SET system_identifier = p_system, timeline = p_timeline, resumed = resumed + 1;
END $$;

-- Moves the sequence to a version, where it is not there yet: when a partition is closed. Not while somebody leaps, as
-- it would be moved back.
CREATE FUNCTION advance_versions(p_version bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM installation FOR SHARE;
  PERFORM setval('resource_version', p_version, false) FROM resource_version WHERE last_value < p_version;
END $$;

-- What servers of the release before call.

CREATE OR REPLACE FUNCTION begin_branch(p_system text, p_timeline text, p_width bigint) RETURNS void
LANGUAGE sql AS $$
  SELECT resume_history(p_system, p_timeline, p_width, 0, 5);
$$;

CREATE OR REPLACE FUNCTION begin_epoch(p_epoch bigint, p_announced bigint, p_width bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM installation WHERE epoch = p_epoch FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM lock_lanes();
  PERFORM leap(p_width, p_announced);
  INSERT INTO head (type, version) SELECT l.id, nextval('resource_version') FROM (SELECT id FROM lane ORDER BY id) l;
  UPDATE history_floor f SET floor = t.head FROM resource_type t WHERE t.id = f.type;
  UPDATE installation SET epoch = epoch + 1;
END $$;
