-- whose work a run is
alter table runs add column person text;
alter table runs add column team text;
-- usage by person and team, for each UTC day; "" for neither. The table `usage` has the same sums by lane and model
create table person_usage (
  project text not null,
  day text not null,
  person text not null,
  team text not null,
  runs integer not null,
  failures integer not null,
  merges integer not null,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  cache_read integer not null default 0,
  cache_write integer not null default 0,
  cost_equiv real not null default 0,
  primary key (project, day, person, team)
) strict, without rowid;
insert into person_usage
select project, day, '', '', cast(min(total(runs), 9007199254740991) as integer),
  cast(min(total(failures), 9007199254740991) as integer),
  cast(min(total(merges), 9007199254740991) as integer),
  cast(min(total(tokens_in), 9007199254740991) as integer),
  cast(min(total(tokens_out), 9007199254740991) as integer),
  cast(min(total(cache_read), 9007199254740991) as integer),
  cast(min(total(cache_write), 9007199254740991) as integer), sum(cost_equiv)
from usage group by project, day;
