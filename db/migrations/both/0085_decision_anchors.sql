-- the files and symbols that a decision speaks of, as JSON
alter table decisions add column anchors text;
create index decisions_anchored on decisions (project, id) where anchors is not null and valid_until is null
