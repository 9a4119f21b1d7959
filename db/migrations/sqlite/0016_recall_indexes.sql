-- the analyzer version of the terms of each recall index. `pending`: documents with smaller ids still have the terms of
-- an older version, and the server rebuilds them in the background
create table recall_indexes (
  kind text not null primary key,
  analyzer integer,
  pending integer,
  changed_at integer not null
) strict;
--> statement-breakpoint
-- an index without documents has no version yet: the program that opens the database records its own
insert into recall_indexes (kind, analyzer, changed_at)
  select 'decision', case when exists (select 1 from decisions) then 1 end, unixepoch() * 1000000
  union all select 'preference', case when exists (select 1 from preferences) then 1 end, unixepoch() * 1000000
  union all select 'note', case when exists (select 1 from notes) then 1 end, unixepoch() * 1000000
  union all select 'guidance', case when exists (select 1 from guidance) then 1 end, unixepoch() * 1000000
  union all select 'event', case when exists (select 1 from events) then 1 end, unixepoch() * 1000000;
--> statement-breakpoint
-- indexes without audiences, of migration 0013, are rebuilt in the background as well
delete from settings where name = 'recall_index';
