-- whether the sender named the cost of an event, or the service computed it; null without a cost, and before this
alter table events add column cost_source text;
--> statement-breakpoint
-- the regular expression that finds the issue of a branch; null for the default
alter table projects add column branch_pattern text;
--> statement-breakpoint
-- telemetry that fits no project, by source and reason: a handful of rows, and nothing of what was sent
create table unplaced (
  source text not null,
  reason text not null,
  count bigint not null,
  token text not null,
  last_at bigint not null,
  primary key (source, reason)
);
