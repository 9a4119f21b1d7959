-- what events are of, together: a project, a kind, an actor and a lane; '' where an event names none
create table facets (
  id bigint generated always as identity primary key,
  project text not null,
  kind text not null,
  actor text not null,
  lane text not null,
  unique (project, kind, actor, lane)
);
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
  facet bigint not null,
  ts bigint not null,
  primary key (facet, ts)
);
--> statement-breakpoint
insert into facets (project, kind, actor, lane) select distinct coalesce(project, ''), kind, actor, coalesce(lane, '') from events;
--> statement-breakpoint
insert into facet_events (facet, ts) select facets.id, events.ts from events
  join facets on facets.project = coalesce(events.project, '') and facets.kind = events.kind and facets.actor = events.actor
    and facets.lane = coalesce(events.lane, '')
  order by 1, 2;
--> statement-breakpoint
create function list_event() returns trigger language plpgsql as $$
declare listed bigint;
begin
  select id into listed from facets
    where project = coalesce(new.project, '') and kind = new.kind and actor = new.actor and lane = coalesce(new.lane, '');
  if listed is null then
    insert into facets (project, kind, actor, lane) values (coalesce(new.project, ''), new.kind, new.actor, coalesce(new.lane, ''))
      returning id into listed;
  end if;
  insert into facet_events (facet, ts) values (listed, new.ts);
  return null;
end $$;
--> statement-breakpoint
create trigger event_listed after insert on events for each row execute function list_event();
--> statement-breakpoint
create function unlist_events() returns trigger language plpgsql as $$
begin
  delete from facet_events using gone, facets
    where facet_events.facet = facets.id and facet_events.ts = gone.ts and facets.project = coalesce(gone.project, '')
      and facets.kind = gone.kind and facets.actor = gone.actor and facets.lane = coalesce(gone.lane, '');
  return null;
end $$;
--> statement-breakpoint
create trigger event_unlisted after delete on events referencing old table as gone for each statement execute function unlist_events();
