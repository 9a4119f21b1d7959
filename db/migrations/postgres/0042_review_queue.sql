-- the review queue of each project: its assets without a set, oldest first, and its sets
create index assets_waiting on assets (waiting, project, "set", created_at, id) where waiting = 1;
--> statement-breakpoint
drop index assets_pending;
