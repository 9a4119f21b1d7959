-- listed: the last event that this version appended; derived: the last event in the rows that are derived
-- behind appends; budgets: their version
alter table feed_head add column listed integer not null default 0
--> statement-breakpoint
alter table feed_head add column derived integer not null default 0
--> statement-breakpoint
alter table feed_head add column budgets integer not null default 0
--> statement-breakpoint
update feed_head set listed = listed.id, derived = feed_head.id, budgets = listed.budgets from listed
--> statement-breakpoint
-- An older process adds the events after this one to the posting lists before it appends: none, as this version
-- adds its own. The table is for older processes only.
update listed set id = 9007199254740991
--> statement-breakpoint
create trigger listed_kept after update of id on listed when new.id <> 9007199254740991
  begin update listed set id = 9007199254740991; end
