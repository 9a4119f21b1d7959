-- the variant set of an asset, by its name within the project
alter table assets add column "set" text;
--> statement-breakpoint
create index assets_set on assets ("set", waiting, created_at, id) where "set" is not null;
--> statement-breakpoint
-- the review queue: its sets, and its assets without a set, of each project and of all
create index assets_set_pending on assets (project, "set", created_at, id) where waiting = 1 and "set" is not null;
--> statement-breakpoint
create index assets_single_pending on assets (waiting, created_at, id) where waiting = 1 and "set" is null;
--> statement-breakpoint
create index assets_project_single_pending on assets (project, created_at, id) where waiting = 1 and "set" is null;
