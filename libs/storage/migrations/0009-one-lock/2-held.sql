-- Which definitions a server still makes objects of, of those that it serves and whose objects are to go, by uid: one that is held up
-- holds up no other. Null: a server of the release before, which says in `drained` alone from when on there may be some, and reads
-- that of others.
ALTER TABLE server ADD COLUMN held text[];
