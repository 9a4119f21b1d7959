-- whose work a run is
alter table runs add column person text;
alter table runs add column team text;
-- usage by person and team, for each UTC day; "" for neither. The table `usage` has the same sums by lane and model
create table person_usage (
  project text collate "C" not null,
  day text collate "C" not null,
  person text collate "C" not null,
  team text collate "C" not null,
  runs bigint not null,
  failures bigint not null,
  merges bigint not null,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cache_read bigint not null default 0,
  cache_write bigint not null default 0,
  cost_equiv double precision not null default 0,
  primary key (project, day, person, team)
);
insert into person_usage
select project, day, '', '', cast(least(sum(runs), 9007199254740991) as bigint),
  cast(least(sum(failures), 9007199254740991) as bigint),
  cast(least(sum(merges), 9007199254740991) as bigint),
  cast(least(sum(tokens_in), 9007199254740991) as bigint),
  cast(least(sum(tokens_out), 9007199254740991) as bigint),
  cast(least(sum(cache_read), 9007199254740991) as bigint),
  cast(least(sum(cache_write), 9007199254740991) as bigint), sum(cost_equiv)
from usage group by project, day;
