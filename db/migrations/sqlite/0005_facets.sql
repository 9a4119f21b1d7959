-- what events are of, together: a project, a kind, an actor and a lane; '' where an event names none
create table facets (
  id integer primary key,
  project text not null,
  kind text not null,
  actor text not null,
  lane text not null,
  unique (project, kind, actor, lane)
) strict;
--> statement-breakpoint
create index facets_kind on facets (kind, actor);
--> statement-breakpoint
create index facets_actor on facets (actor, project);
--> statement-breakpoint
create index facets_lane on facets (lane, kind);
--> statement-breakpoint
create index facets_project_lane on facets (project, lane);
--> statement-breakpoint
-- every event once, in the list of its facet
create table facet_events (
  facet integer not null,
  ts integer not null,
  primary key (facet, ts)
) strict, without rowid;
--> statement-breakpoint
-- the last event that is listed: a program of before that runs on meanwhile lists none
create table listed (
  one integer not null primary key,
  id integer not null
) strict;
--> statement-breakpoint
insert into listed (one, id) select 1, id from feed_head;
--> statement-breakpoint
insert into facets (project, kind, actor, lane) select distinct coalesce(project, ''), kind, actor, coalesce(lane, '') from events;
--> statement-breakpoint
-- a cross join, so that each event looks for its facet, and no facet for its events
insert into facet_events (facet, ts) select facets.id, events.ts from events not indexed
  cross join facets on facets.project = coalesce(events.project, '') and facets.kind = events.kind and facets.actor = events.actor
    and facets.lane = coalesce(events.lane, '')
  order by 1, 2;
