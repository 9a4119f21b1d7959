-- listed: the last event that this version appended; derived: the last event in the rows that are derived
-- behind appends; budgets: their version
alter table feed_head add column listed bigint not null default 0,
  add column derived bigint not null default 0,
  add column budgets bigint not null default 0
--> statement-breakpoint
update feed_head set listed = listed.id, derived = feed_head.id, budgets = listed.budgets from listed
--> statement-breakpoint
-- An older node adds the events after this one to the posting lists before it appends: none, as this version
-- adds its own. The table is for older nodes only.
update listed set id = 9007199254740991
--> statement-breakpoint
create function keep_listed() returns trigger language plpgsql as $$ begin new.id := old.id; return new; end $$
--> statement-breakpoint
create trigger listed_kept before update on listed for each row execute function keep_listed()
