-- What was taken back: unpublished, or deleted. The row stays, and a restore keeps it.
create table removals (
  kind text not null,
  subject text not null,
  project text,
  removed_by text not null,
  removed_at bigint not null,
  reason text not null,
  finished_at bigint,
  primary key (kind, subject)
);
create index removals_unfinished on removals (removed_at) where finished_at is null;
