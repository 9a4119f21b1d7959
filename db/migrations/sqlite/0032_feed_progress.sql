-- ids of the last events in the posting lists of facets, and in the rows derived behind appends
alter table feed_head add column listed integer not null default 0
--> statement-breakpoint
alter table feed_head add column derived integer not null default 0
--> statement-breakpoint
update feed_head set listed = (select id from listed), derived = id
--> statement-breakpoint
drop table listed
