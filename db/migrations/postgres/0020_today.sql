-- up to where each person has read what happened: the `ts` of an event
create table read_markers (
  reader text not null primary key,
  ts bigint not null
);
--> statement-breakpoint
-- the review queue of each project, oldest first; it also finds the projects that have one
create index assets_pending on assets (waiting, project, created_at, id) where waiting = 1;
