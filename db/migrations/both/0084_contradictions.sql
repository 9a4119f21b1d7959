-- the ids of the current decisions that a decision contradicted when it was recorded
alter table decisions add column contradicts text;
create index decisions_contradicting on decisions (project, id) where contradicts is not null and valid_until is null
