-- facets tell teams and persons apart, "" for neither; they are in the text of events
create table new_facets (
  id integer primary key,
  project text not null,
  kind text not null,
  actor text not null,
  lane text not null,
  team text not null,
  person text not null,
  unique (project, kind, actor, lane, team, person)
) strict;
insert into new_facets select id, project, kind, actor, lane, '', '' from facets;
drop table facets;
alter table new_facets rename to facets;
create index facets_kind on facets (kind, actor);
create index facets_actor on facets (actor, project);
create index facets_lane on facets (lane, kind);
create index facets_project_lane on facets (project, lane);
create index facets_actor_lane on facets (actor, lane);
create index facets_team on facets (team, kind);
create index facets_person on facets (person, kind);

create temp table owned as
select ts, coalesce(project, '') as project, kind, actor, coalesce(lane, '') as lane,
  coalesce(wire ->> 'team', '') as team, coalesce(wire ->> 'person', '') as person
from events
where ts >= (select cast(strftime('%s', min(day)) as integer) * 1000000 from person_usage)
  and (instr(wire, '"team":"') > 0 or instr(wire, '"person":"') > 0);
insert into facets (project, kind, actor, lane, team, person)
select distinct project, kind, actor, lane, team, person from owned;
delete from facet_events where (facet, ts) in (
  select facets.id, owned.ts from owned join facets on facets.project = owned.project
    and facets.kind = owned.kind and facets.actor = owned.actor and facets.lane = owned.lane
    and facets.team = '' and facets.person = '');
insert into facet_events (facet, ts)
select facets.id, owned.ts from owned join facets on facets.project = owned.project
  and facets.kind = owned.kind and facets.actor = owned.actor and facets.lane = owned.lane
  and facets.team = owned.team and facets.person = owned.person;
delete from facets where not exists (select 1 from facet_events where facet = facets.id);
drop table owned;
