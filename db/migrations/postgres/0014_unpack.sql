-- Packed events are gone as a feature. A database that still holds some is refused here rather than emptied.
create temporary table this_database_holds_packed_events (packs bigint check (packs = 0));
--> statement-breakpoint
insert into this_database_holds_packed_events select count(*) from packs;
--> statement-breakpoint
drop table this_database_holds_packed_events;
--> statement-breakpoint
drop table packs;
--> statement-breakpoint
drop table packed_keys;
--> statement-breakpoint
drop table packed_sums;
