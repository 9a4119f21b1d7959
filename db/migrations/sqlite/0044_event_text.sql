-- Only what statements search by has columns: the text has all fields of an event. Most events came from no webhook,
-- so an index of deliveries need not hold the others
create table events_with_text (
  ts integer primary key,
  id integer not null unique,
  kind text not null,
  actor text not null,
  project text,
  issue integer,
  pr integer,
  lane text,
  run_id text,
  dedupe_key text unique,
  delivery_id text,
  wire text not null,
  payload text
) strict;
--> statement-breakpoint
insert into events_with_text (ts, id, kind, actor, project, issue, pr, lane, run_id, dedupe_key, delivery_id, wire, payload)
  select ts, id, kind, actor, project, issue, pr, lane, run_id, dedupe_key, delivery_id, wire, payload from events order by ts;
--> statement-breakpoint
drop table events;
--> statement-breakpoint
alter table events_with_text rename to events;
--> statement-breakpoint
create unique index events_delivery_id on events (delivery_id) where delivery_id is not null;
--> statement-breakpoint
create index events_project on events (project);
--> statement-breakpoint
create index events_kind on events (kind);
--> statement-breakpoint
create index events_actor on events (actor);
--> statement-breakpoint
create index events_lane on events (lane);
--> statement-breakpoint
create index events_of_kind on events (kind, ts, id, wire) where kind <> 'step.usage';
--> statement-breakpoint
create index events_issue on events (issue, ts, project) where issue is not null;
--> statement-breakpoint
create index events_pr on events (pr, ts, project) where pr is not null;
--> statement-breakpoint
create index events_run_id on events (run_id, ts, project) where run_id is not null;
