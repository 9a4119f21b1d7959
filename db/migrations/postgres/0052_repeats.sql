-- `repeats`: the rejected asset that a file repeats, as JSON; null if there is none
alter table assets add column repeats jsonb
--> statement-breakpoint
create index assets_repeats on assets (project, "set", created_at, id) where waiting = 1 and repeats is not null
--> statement-breakpoint
create index assets_not_repeats on assets (project, "set", created_at, id) where waiting = 1 and repeats is null
--> statement-breakpoint
-- the projects that refuse files that they have rejected
create table repeat_policies (
  project text not null primary key,
  changed_by text not null,
  changed_at bigint not null
)
