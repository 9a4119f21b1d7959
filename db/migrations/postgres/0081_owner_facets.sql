-- facets tell teams and persons apart, "" for neither; they are in the text of events
alter table facets add column team text not null default '';
alter table facets add column person text not null default '';
alter table facets alter column team drop default;
alter table facets alter column person drop default;
alter table facets drop constraint facets_project_kind_actor_lane_key;
alter table facets add unique (project, kind, actor, lane, team, person);
create index facets_team on facets (team, kind);
create index facets_person on facets (person, kind);

create temp table owned as
select ts, coalesce(project, '') as project, kind, actor, coalesce(lane, '') as lane,
  coalesce(substring(wire from '"team":"([^"]*)"'), '') as team,
  coalesce(substring(wire from '"person":"([^"]*)"'), '') as person
from events
where ts >= (select extract(epoch from min(day)::date)::bigint * 1000000 from person_usage)
  and (strpos(wire, '"team":"') > 0 or strpos(wire, '"person":"') > 0);
insert into facets (project, kind, actor, lane, team, person)
select distinct project, kind, actor, lane, team, person from owned;
delete from facet_events using owned join facets on facets.project = owned.project
  and facets.kind = owned.kind and facets.actor = owned.actor and facets.lane = owned.lane
  and facets.team = '' and facets.person = ''
where facet_events.facet = facets.id and facet_events.ts = owned.ts;
insert into facet_events (facet, ts)
select facets.id, owned.ts from owned join facets on facets.project = owned.project
  and facets.kind = owned.kind and facets.actor = owned.actor and facets.lane = owned.lane
  and facets.team = owned.team and facets.person = owned.person;
delete from facets where not exists (select 1 from facet_events where facet = facets.id);
drop table owned;
