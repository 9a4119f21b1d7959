-- the time of the newest commit in which the files of a decision were looked for, and since when all are gone
alter table decisions add column anchors_at bigint;
alter table decisions add column gone_at bigint;
create index decisions_gone on decisions (gone_at) where gone_at is not null and valid_until is null
