-- What was taken back: unpublished, or deleted. The row stays, and a restore keeps it.
create table removals (
  kind text not null,
  subject text not null,
  project text,
  removed_by text not null,
  removed_at integer not null,
  reason text not null,
  finished_at integer,
  primary key (kind, subject)
) strict;
create index removals_unfinished on removals (removed_at) where finished_at is null;
