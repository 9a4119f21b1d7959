-- what programs check of a decision, as JSON; null if there is nothing
alter table decisions add column checks text;
-- how often its checks stopped something
alter table decisions add column stops integer not null default 0;
create index decisions_checked on decisions (project, id) where checks is not null and valid_until is null
